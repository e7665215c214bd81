import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp, interrupted } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { flag, number, seed, text } from "../../../infra/command-line/options.ts";
import { progress, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "record-inputs",
  summary: "records inputs of several callers, the card network and a receiver that fails",
  options: {
    inputs: number("how many", { fallback: 5_000 }),
    own: flag("records what you send until Ctrl-C, to an empty platform in LOCAL_DIR, instead"),
    file: text("<file>", "where to", "inputs.gz"),
    seed,
  },
  run: async ({ options: { inputs, own, file, seed } }) => {
    process.env.TZ = "UTC";
    await (own ? recordOwn(file) : recordMixed(file, inputs, seed));
  },
});

async function recordOwn(file: string): Promise<void> {
  const { startPlatform } = await import("../../../infra/development/platform.ts");
  const { readSettings } = await import("../../../infra/development/settings.ts");
  const { connectionFile } = await import("../../../infra/development/connection.ts");
  const { planRecording } = await import("./inputs/recorder.ts");
  const settings = readSettings(process.env);
  const { directory, receivers } = settings;
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const platform = await startPlatform({ ...settings, turns: planRecording(file, directory, receivers) });
  say(`Recording in ${file}. ${connectionFile(directory)} says how to call the platform; Ctrl-C ends it.`);
  await ended;
  await platform.stop();
}

async function recordMixed(file: string, inputs: number, seed: number | undefined): Promise<void> {
  const { readRecording } = await import("./inputs/recording-file.ts");
  const { planRecording } = await import("./inputs/recorder.ts");
  const { startPlatform } = await import("../../../infra/development/platform.ts");
  const { randomFrom, someSeed } = await import("../../harness/random.ts");
  const { startReceiver } = await import("../../harness/receiver.ts");
  const { sendMixedInputs } = await import("./mixed-inputs.ts");
  await using cleaning = cleanUp();
  const temporary = mkdtempSync(join(tmpdir(), "record-"));
  cleaning.defer(() => rmSync(temporary, { recursive: true, force: true }));
  const [recording, directory] = [join(temporary, "inputs.gz"), join(temporary, "platform")];
  const receiver = await startReceiver();
  cleaning.defer(() => receiver.stop());
  const receivers = [receiver.origin];
  const settings = { port: 0, directory, dynamodb: "dynoxide", receivers };
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  const told = setInterval(() => progress(`recording for ${seconds()}`), 1_000);
  try {
    const turns = planRecording(recording, directory, receivers);
    const starting = startPlatform({ ...settings, turns, signal: interrupted });
    cleaning.defer(async () => (await starting.catch(() => undefined))?.stop());
    const platform = await starting;
    const random = randomFrom(seed ?? someSeed());
    await sendMixedInputs(platform.connection, receiver, random, inputs).finally(() => platform.stop());
    const recorded = readRecording(recording);
    copyFileSync(recording, file);
    say(`Recorded ${recorded.inputs} inputs in ${seconds()} in ${file}`);
  } finally {
    clearInterval(told);
  }
}

if (import.meta.main) await runCommand(command);
