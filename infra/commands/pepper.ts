import { declareCommand, runCommand } from "../command-line/command.ts";
import { connectionArgument } from "../command-line/connection-file.ts";
import { CannotRun, flag, json, UsageError } from "../command-line/options.ts";
import { printJson, say } from "../command-line/print.ts";

export const command = declareCommand({
  name: "pepper",
  summary: "rotates the pepper that hashes API keys, and lists keys that are not stored under it yet",
  takes: [{ name: "step", about: "see below", choices: ["list", "begin", "end"] }, connectionArgument],
  options: { "even-in-use": flag("ends a rotation though keys are left: they no longer work"), json },
  notes: `  list   whether a rotation is under way, and the API users with keys under the former pepper
  begin  makes a new pepper; each key is stored under it when it is used
  end    takes the former pepper away

docs/rotation.md describes a rotation.`,
  failsIf: "keys are left under the former pepper, at end",
  run: async ({ words: [step = "", given], options }) => {
    const evenInUse = options["even-in-use"];
    if (evenInUse && step !== "end") throw new UsageError("--even-in-use is an option of end.");
    const { openStore } = await import("./audit/connect-store.ts");
    const { file, store } = openStore(given);
    const secretId = store.pepper?.secretId;
    if (secretId === undefined) throw new CannotRun(`${file} names no pepper.`);
    // Imported late because it reads the environment.
    const { beginRotation, endRotation, readState } = await import("./pepper/rotate-pepper.ts");
    if (step === "begin") await beginRotation(secretId, new Date());
    const left = await (step === "end" ? endRotation(secretId, new Date(), evenInUse) : readState(secretId));
    for (const { tenantId, apiUserId, name } of left.keys) say(`${tenantId} ${apiUserId} ${name}`);
    say(
      `${left.isRotating ? "A rotation is under way" : "One pepper"}, ${left.keys.length} keys under another.`,
    );
    if (options.json) printJson(left);
    return step !== "end" || !left.isRotating;
  },
});

if (import.meta.main) await runCommand(command);
