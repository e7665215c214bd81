import { fork } from "node:child_process";
import { once } from "node:events";
import type { Merged } from "./merge-process.ts";
import { progress, type Row } from "./report.ts";

export const columns = ["merge", "entries", "parts", "s", "peak MB", "limit"];

const limitMegabytes = 256;
/** Live memory has half of the limit: what is not bounded ends the process. */
const heap = ["--max-old-space-size=128", "--max-semi-space-size=8"];

/** The memory of a process that merges segments of so many entries in sum. */
export async function memoryOfMerge(count: number): Promise<Row[]> {
  progress(`merging ${count} entries`);
  const child = fork(new URL("./merge-process.ts", import.meta.url), [String(count)], { execArgv: heap });
  const ended = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`The merge ended with ${code}.`)),
  );
  const [merged]: Merged[] = await Promise.race([once(child, "message") as Promise<Merged[]>, ended]);
  if (merged?.entries !== count) throw new Error(`The merge has ${merged?.entries} entries, not ${count}.`);
  const { entries, parts, seconds, peakMegabytes } = merged;
  const peak = Math.round(peakMegabytes);
  return [
    {
      cells: ["16 segments into one", entries, parts, seconds.toFixed(0), peak, limitMegabytes],
      broken: peak > limitMegabytes ? `A merge takes ${peak} MB, not ${limitMegabytes}.` : undefined,
    },
  ];
}
