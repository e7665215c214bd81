import * as z from "zod";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { filesBucket } from "../platform/file-store.ts";
import { FilePart, Joined, joinParts, readPart, writePart } from "../platform/long-files/file-parts.ts";
import { type Next, type StepLimits, type StepTime, takeFileStep } from "../platform/long-files/long-file.ts";
import { type BooksForm, composeBooks, movedAccounts, type Openings, readOpenings } from "./books.ts";
import { keepClosing } from "./closing.ts";
import { addSums, Cursor, collect, compareEntries, entryOrder, noSums, type Sums } from "./collect.ts";
import { type BooksFormat, booksFileName, booksForms } from "./forms.ts";
import { type LedgerFile, ledgerFiles, toScope } from "./ledger-file.ts";
import { readOwnerIds } from "./owners.ts";

/**
 * Entries are collected by owner in sorted runs, then the accounts' opening balances are read, then
 * the runs are merged into the text, in parts, which are joined.
 */
const Step = z.object({
  date: z.string(),
  format: z.enum(Object.keys(booksForms) as BooksFormat[]),
  fileId: z.string(),
  step: z.int().default(0),
  /** The ids of all owners, of which the journal is read. */
  owners: FilePart.optional(),
  ownerCount: z.int().default(0),
  cursor: Cursor.default({ next: 0, open: [] }),
  runs: z.array(FilePart).default([]),
  sums: z.array(FilePart).default([]),
  isCollected: z.boolean().default(false),
  openings: z.array(FilePart).default([]),
  openingsRead: z.int().default(0),
  /** What is before and after the entries, once all balances are known. */
  ends: z.tuple([FilePart, FilePart]).optional(),
  offsets: z.array(z.int()).default([]),
  parts: z.array(FilePart).default([]),
  isWritten: z.boolean().default(false),
  joined: Joined.optional(),
});
type Step = z.output<typeof Step>;

interface Limits extends StepLimits {
  readonly entriesInPart?: number;
  readonly chunkBytes?: number;
}

interface Work extends StepTime {
  readonly file: LedgerFile;
  /** Whether a step has enough entries. */
  readonly isFull: (entries: number) => boolean;
  readonly limits: Limits;
  readonly write: (text: string) => Promise<FilePart>;
}

const usualEntriesInPart = 20_000;

/** Takes one step, and returns the next one. */
export async function makeBooksFile(event: OutboxEvent, limits: Limits = {}): Promise<Step | undefined> {
  const step = Step.parse(event.detail);
  const { entriesInPart = usualEntriesInPart } = limits;
  const take = (file: LedgerFile, time: StepTime) => {
    const write = (text: string) => writePart(toFolder(file), step.step, text);
    const isFull = (entries: number) => entries >= entriesInPart || time.isTimeUp();
    return takeStep(step, { file, ...time, isFull, limits, write });
  };
  const item = ledgerFiles.at(event.programId, step.date, step.format);
  return takeFileStep(step, { item, progressPercent: computePercent(step), take }, limits);
}

function computePercent({ ownerCount, cursor, isCollected, ends, runs, offsets, isWritten }: Step): number {
  if (isWritten) return 95;
  if (!isCollected) return Math.floor((50 * cursor.next) / Math.max(1, ownerCount));
  if (!ends) return 50;
  const merged = offsets.reduce((sum, offset) => sum + offset, 0);
  const all = runs.reduce((sum, { bytes }) => sum + bytes, 0);
  return 60 + Math.floor((30 * merged) / Math.max(1, all));
}

async function takeStep(step: Step, work: Work): Promise<Next<Step>> {
  if (!step.owners) return listOwners(work);
  if (!step.isCollected) return collectRun(step, step.owners, work);
  if (step.sums.length > 1) return { sums: [await work.write(JSON.stringify(await readSums(step)))] };
  if (!step.ends) return readBalances(step, work);
  if (!step.isWritten) return writeEntries(step, work);
  const key = `${toFolder(work.file)}/${booksFileName(step.date, step.format)}`;
  const [head, tail] = step.ends;
  const { mediaType: contentType } = booksForms[step.format];
  const whole = { key, contentType, parts: [head, ...step.parts, tail] };
  const joined = await joinParts(whole, step.joined, work.isLate);
  return joined ? { joined } : { end: { key } };
}

async function listOwners({ file, write }: Work): Promise<Next<Step>> {
  const ownerIds = await readOwnerIds(file.programId, toScope(file).day);
  return { owners: await write(JSON.stringify(ownerIds)), ownerCount: ownerIds.length };
}

async function collectRun(step: Step, owners: FilePart, work: Work): Promise<Next<Step>> {
  const ownerIds: string[] = JSON.parse((await readPart(owners)).toString());
  const found = await collect(toScope(work.file), ownerIds, step.cursor, work.isFull);
  const { entries, sums, cursor = { next: ownerIds.length, open: [] } } = found;
  return {
    ...(entries.length > 0 && { runs: [...step.runs, await work.write(toRun(entries))] }),
    sums: [...step.sums, await work.write(JSON.stringify(sums))],
    cursor,
    isCollected: found.cursor === undefined,
  };
}

async function readSums({ sums }: Step): Promise<Sums> {
  let all = noSums();
  for (const part of sums) all = addSums(all, JSON.parse((await readPart(part)).toString()));
  return all;
}

async function readBalances(step: Step, work: Work): Promise<Next<Step>> {
  const scope = toScope(work.file);
  const sums = await readSums(step);
  const accountIds = movedAccounts(sums);
  const left = accountIds.slice(step.openingsRead);
  const { openings: found, read } = await readOpenings(scope, left, work.isTimeUp);
  const openings = [...step.openings, await work.write(JSON.stringify(found))];
  if (read < left.length) return { openings, openingsRead: step.openingsRead + read };
  const all: Openings[] = [];
  for (const part of openings) all.push(JSON.parse((await readPart(part)).toString()));
  const { books, closing } = composeBooks(scope, sums, Object.assign({}, ...all));
  await keepClosing(scope.programId, closing);
  const { head, tail } = booksForms[step.format];
  const ends = [await work.write([...head(books)].join("")), await work.write([...tail(books)].join(""))];
  return { openings, ends: ends as [FilePart, FilePart] };
}

async function writeEntries(step: Step, { file, isFull, limits, write }: Work): Promise<Next<Step>> {
  const { entry: toText }: BooksForm = booksForms[step.format];
  if (!toText) return { isWritten: true };
  const { entries, offsets, isComplete } = await mergeRuns(
    step.runs,
    step.offsets,
    isFull,
    limits.chunkBytes,
  );
  const text = entries.flatMap((one) => [...toText(toScope(file), one)]).join("");
  return { parts: [...step.parts, await write(text)], offsets: [...offsets], isWritten: isComplete };
}

function toFolder({ programId, fileId }: LedgerFile): string {
  return `ledgers/${programId}/${fileId}`;
}

/** All runs together take no more memory. */
const chunksBytes = 16_000_000;
/** An entry is at most 400 KB. */
const minimumChunkBytes = 1_000_000;

/** Entries in the order of time, one in a line. */
function toRun(entries: readonly JournalEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

interface Merged {
  readonly entries: readonly JournalEntry[];
  /** How many bytes of each run are merged. */
  readonly offsets: readonly number[];
  readonly isComplete: boolean;
}

/** The next entries of sorted runs, in the order of time, however many there are. */
async function mergeRuns(
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
