import type { JournalEntry } from "../ledger/journal-entry.ts";
import { filesBucket } from "../platform/file-store.ts";
import type { FilePart } from "../platform/long-files/file-parts.ts";
import { compareEntries, entryOrder } from "./collect.ts";

/** All runs together take no more memory. */
const chunksBytes = 16_000_000;
/** An entry is at most 400 KB. */
const minimumChunkBytes = 1_000_000;

/** Entries in the order of time, one in a line. */
export function toRun(entries: readonly JournalEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

interface Merged {
  readonly entries: readonly JournalEntry[];
  /** How many bytes of each run are merged. */
  readonly offsets: readonly number[];
  readonly isComplete: boolean;
}

/** The next entries of sorted runs, in the order of time, however many there are. */
export async function mergeRuns(
  runs: readonly FilePart[],
  begun: readonly number[],
  isFull: (entries: number) => boolean,
  chunkBytes = Math.max(minimumChunkBytes, Math.floor(chunksBytes / Math.max(1, runs.length))),
): Promise<Merged> {
  const offsets = runs.map((_, index) => begun[index] ?? 0);
  const entries: JournalEntry[] = [];
  const isLeft = () => runs.some(({ bytes }, index) => (offsets[index] as number) < bytes);
  do {
    const chunks = await Promise.all(
      runs.map((run, index) => readLines(run, offsets[index] as number, chunkBytes)),
    );
    // What comes after the end of a chunk could precede what is later in others.
    const until = chunks
      .flatMap(({ lines, isLast }) => (isLast ? [] : (lines.at(-1)?.order ?? [])))
      .sort()[0];
    const merged = chunks.flatMap(({ lines }, index) => {
      const before = lines.filter(({ order }) => until === undefined || order <= until);
      offsets[index] = before.reduce((sum, { bytes }) => sum + bytes, offsets[index] as number);
      return before.map(({ entry }) => entry);
    });
    for (const entry of merged.sort(compareEntries)) entries.push(entry);
  } while (isLeft() && !isFull(entries.length));
  return { entries, offsets, isComplete: !isLeft() };
}

/** The whole lines from an offset on. */
async function readLines({ name, bytes: size }: FilePart, offset: number, chunkBytes: number) {
  if (offset >= size) return { lines: [], isLast: true };
  const last = Math.min(size, offset + chunkBytes) - 1;
  const read = await filesBucket.read(name, { range: [offset, last] });
  if (read?.length !== last - offset + 1) throw new Error(`The part ${name} of a file is gone.`);
  const chunk = Buffer.from(read);
  const lines = [];
  let begin = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
    const entry: JournalEntry = JSON.parse(chunk.toString("utf8", begin, end));
    lines.push({ entry, order: entryOrder(entry), bytes: end + 1 - begin });
    begin = end + 1;
  }
  if (lines.length === 0) throw new Error(`An entry in ${name} is longer than ${chunkBytes} bytes.`);
  return { lines, isLast: last + 1 === size };
}
