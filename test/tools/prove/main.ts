import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json, number, seed } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "prove",
  summary: "proves random sequences of 60 network events on the real engine against a reference model",
  options: {
    sequences: number("how many", { fallback: 1_000 }),
    lanes: number("how many at once", { fallback: 6 }),
    seed,
    json,
  },
  failsIf: "a sequence came out otherwise",
  run: async ({ options: { sequences, lanes, seed: given, json: isJson } }) => {
    const { startEngine, useTables } = await import("../../harness/engine.ts");
    const { someSeed } = await import("../../harness/random.ts");
    const { tablesOfTheTemplate } = await import("../../harness/tables.ts");
    const seed = given ?? someSeed();
    await using cleaning = cleanUp();
    const starting = startEngine();
    cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
    const engine = await starting;
    await useTables(engine.endpoint, tablesOfTheTemplate(), "prove");
    // Imported only now: what it imports reads the environment.
    const { proveCards } = await import("../../harness/card-model/run-sequence.ts");
    say(`Proving ${sequences} sequences of 60 events against ${engine.endpoint}, seed ${seed}.`);
    const started = performance.now();
    const seconds = () => Math.round((performance.now() - started) / 1000);
    let count = 0;
    const done = () => {
      count += 1;
      progress(`${count} of ${sequences} in ${seconds()} s`);
    };
    await proveCards({ sequences, lanes, seed, done });
    say(`All ${count} sequences came out as the model says.`);
    if (isJson) printJson({ sequences: count, seed, seconds: seconds() });
  },
});

if (import.meta.main) await runCommand(command);
