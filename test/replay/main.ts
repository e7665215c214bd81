import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { number, seed, text } from "../../infra/command-line/options.ts";
import { progress, say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "record-inputs",
  summary: "records inputs of several callers, the card network and a receiver that fails",
  options: {
    inputs: number("how many", { fallback: 5_000 }),
    file: text("<file>", "where to", "inputs.gz"),
    seed,
  },
  run: async ({ options: { inputs, file, seed } }) => {
    process.env.TZ = "UTC";
    const { readRecording } = await import("../../infra/development/inputs/recording-file.ts");
    const { startPlatform } = await import("../../infra/development/platform.ts");
    const { randomFrom, someSeed } = await import("../harness/random.ts");
    const { startReceiver } = await import("../harness/receiver.ts");
    const { sendMixedInputs } = await import("./mixed-inputs.ts");
    const directory = mkdtempSync(join(tmpdir(), "record-"));
    const recordInputs = join(directory, "inputs.gz");
    const receiver = await startReceiver();
    const settings = { port: 0, directory: join(directory, "platform"), dynamodb: "dynoxide" };
    const startedMs = performance.now();
    const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
    const told = setInterval(() => progress(`recording for ${seconds()}`), 1_000);
    try {
      const platform = await startPlatform({ ...settings, recordInputs, receivers: [receiver.origin] });
      const random = randomFrom(seed ?? someSeed());
      await sendMixedInputs(platform.connection, receiver, random, inputs).finally(() => platform.stop());
      const recorded = readRecording(recordInputs);
      copyFileSync(recordInputs, file);
      say(`Recorded ${recorded.inputs} inputs in ${seconds()} in ${file}`);
    } finally {
      clearInterval(told);
      await receiver.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
});

if (import.meta.main) await runCommand(command);
