import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { CannotRun, json, number, text } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";
import { readSettings } from "../../../infra/development/settings.ts";
import type { Write } from "./turns/written.ts";

interface ReplayOptions {
  readonly file: string;
  readonly inputs: number | undefined;
  readonly writes: string | undefined;
  readonly record: string | undefined;
  readonly json: boolean;
}

export const command = declareCommand({
  name: "replay",
  summary:
    "feeds recorded inputs to an empty platform, and compares each record that they write and, at the end, the tables",
  takes: [{ name: "recording", about: "written by npm run record-inputs" }],
  options: {
    inputs: number("only so many inputs, without comparing the tables"),
    writes: text("<file>", "lists each written record, to compare those of two versions"),
    record: text("<file>", "compares nothing, but records the same inputs with what this version writes"),
    json,
  },
  failsIf: "something differs",
  run: async ({ words: [file = ""], options }) => {
    // Lambda's time zone; worker threads inherit it.
    process.env.TZ = "UTC";
    const directory = mkdtempSync(join(tmpdir(), "replay-"));
    const calledOff = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => calledOff.abort());
    try {
      return await replay({ file, ...options }, directory, calledOff.signal);
    } catch (error) {
      throw new CannotRun(error instanceof Error ? error.message : String(error));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
});

async function replay(options: ReplayOptions, directory: string, signal: AbortSignal): Promise<boolean> {
  const { readRecording } = await import("./inputs/recording-file.ts");
  const { replayInputs } = await import("./inputs/replayer.ts");
  const { canonicalText } = await import("./turns/written.ts");
  const recording = readRecording(options.file);
  const inputs = Math.min(options.inputs ?? recording.inputs, recording.inputs);
  say(`Replaying ${inputs} of ${recording.inputs} inputs in ${directory}`);
  const startedMs = performance.now();
  const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  const list = options.writes === undefined ? undefined : createWriteStream(options.writes, { mode: 0o600 });
  const done = (number: number, writes: readonly Write[]) => {
    for (const { table, key, item } of writes) {
      const stored = item === undefined ? "deleted" : canonicalText(item);
      list?.write(`${number} ${table} ${key} ${stored}\n`);
    }
    progress(`${number} inputs after ${seconds()}`);
  };
  const { dynamodb } = readSettings(process.env);
  const replayed = await replayInputs(recording, {
    directory,
    dynamodb,
    inputs,
    done,
    record: options.record,
    signal,
  });
  if (list !== undefined) await new Promise((resolve) => list.end(resolve));
  const { difference, writes } = replayed;
  if (options.json)
    printJson({ inputs: replayed.inputs, writes, difference: difference ?? null, tables: replayed.tables });
  if (options.record !== undefined) {
    say(`Recorded ${replayed.inputs} inputs after ${seconds()}: ${writes} writes.`);
    return true;
  }
  if (difference !== undefined) {
    say(`${difference}.`);
    return false;
  }
  const tables = Object.entries(replayed.tables).map(
    ([name, { records }]) => `${records} records in ${name}`,
  );
  const compared = inputs === recording.inputs ? `, and the tables are identical: ${tables.join(", ")}` : "";
  say(`Nothing differs after ${replayed.inputs} inputs and ${seconds()}: ${writes} writes${compared}.`);
  return true;
}

if (import.meta.main) await runCommand(command);
