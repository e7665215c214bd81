import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRecording } from "../../infra/development/inputs/recording-file.ts";
import { startPlatform } from "../../infra/development/platform.ts";
import { randomFrom, someSeed } from "../harness/random.ts";
import { startReceiver } from "../harness/receiver.ts";
import { sendMixedInputs } from "./mixed-inputs.ts";

/**
 * `npm run record-inputs -- [--inputs 5000] [--file inputs.gz] [--seed n]`: records a platform
 * while several callers and the card network use it.
 */
const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "5000" },
    seed: { type: "string", default: String(someSeed()) },
    file: { type: "string", default: "inputs.gz" },
  },
});
process.env.TZ = "UTC";

const directory = mkdtempSync(join(tmpdir(), "record-"));
const recordInputs = join(directory, "inputs.gz");
const receiver = await startReceiver();
const settings = { port: 0, directory: join(directory, "platform"), dynamodb: "dynoxide" };
try {
  const platform = await startPlatform({ ...settings, recordInputs, receivers: [receiver.origin] });
  const startedMs = performance.now();
  await sendMixedInputs(
    platform.connection,
    receiver,
    randomFrom(Number(values.seed)),
    Number(values.inputs),
  ).finally(() => platform.stop());
  const { inputs } = readRecording(recordInputs);
  copyFileSync(recordInputs, values.file);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  console.log(`Recorded ${inputs} inputs in ${seconds} s in ${values.file}`);
} finally {
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
}
