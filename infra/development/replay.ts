/** `npm run replay`: feeds recorded inputs to an empty platform. */

import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { canonicalText, type Write } from "../local/turns/written.ts";
import { readRecording } from "./inputs/recording-file.ts";
import { replayInputs } from "./inputs/replayer.ts";

const usage = `npm run replay -- <recording> [options]

Feeds the inputs that "npm start -- --record-inputs <recording>" wrote to an empty platform, and
compares each record that they write, and at the end the tables.

  --inputs <number>   only so many inputs, without comparing the tables
  --writes <file>     lists each written record, to compare those of two versions
  --record <file>     compares nothing, but records the same inputs with what this version writes

Exit codes: 0 nothing differs, 1 something differs, 2 the recording cannot be replayed.`;

const progressEvery = 500;

// Lambda's time zone; worker threads inherit it.
process.env.TZ = "UTC";

const options = readOptions();
const directory = mkdtempSync(join(tmpdir(), "replay-"));
const calledOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => calledOff.abort());
try {
  process.exitCode = await replay();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        inputs: { type: "string" },
        writes: { type: "string" },
        record: { type: "string" },
        help: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
    const [file] = positionals;
    const inputs = values.inputs === undefined ? undefined : Number(values.inputs);
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (file === undefined || positionals.length > 1) throw new Error("Name one recording.");
    if (inputs !== undefined && !(Number.isInteger(inputs) && inputs > 0))
      throw new Error(`--inputs is "${values.inputs}"; it must be a whole number above 0.`);
    return { file, inputs, writes: values.writes, record: values.record };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

async function replay(): Promise<0 | 1> {
  const recording = readRecording(options.file);
  const inputs = Math.min(options.inputs ?? recording.inputs, recording.inputs);
  console.log(`Replaying ${inputs} of ${recording.inputs} inputs in ${directory}`);
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  const list = options.writes === undefined ? undefined : createWriteStream(options.writes, { mode: 0o600 });
  const done = (number: number, writes: readonly Write[]) => {
    for (const write of writes) list?.write(`${describe(number, write)}\n`);
    if (number % progressEvery === 0) console.log(`${number} inputs after ${seconds()}`);
  };
  const dynamodb = process.env.LOCAL_DYNAMODB || "dynoxide";
  const replayed = await replayInputs(recording, {
    directory,
    dynamodb,
    inputs,
    done,
    record: options.record,
    signal: calledOff.signal,
  });
  if (list !== undefined) await new Promise((resolve) => list.end(resolve));
  const { difference, writes } = replayed;
  if (options.record !== undefined) {
    console.log(`Recorded ${replayed.inputs} inputs after ${seconds()}: ${writes} writes.`);
    return 0;
  }
  if (difference !== undefined) {
    console.error(`${difference}.`);
    return 1;
  }
  const tables = Object.entries(replayed.tables).map(
    ([name, { records }]) => `${records} records in ${name}`,
  );
  const compared = inputs === recording.inputs ? `, and the tables are identical: ${tables.join(", ")}` : "";
  console.log(
    `Nothing differs after ${replayed.inputs} inputs and ${seconds()}: ${writes} writes${compared}.`,
  );
  return 0;
}

function describe(number: number, { table, key, item }: Write): string {
  return `${number} ${table} ${key} ${item === undefined ? "deleted" : canonicalText(item)}`;
}
