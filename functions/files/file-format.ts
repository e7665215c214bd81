import type { BankMoney } from "../../shared/contract/bank.ts";
import {
  FileKind,
  FileProgress,
  type FileReport,
  type FileSums,
  fileAttempts,
  fileKeys,
  type RejectedRecord,
} from "../../shared/contract/file-report.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { log } from "../../shared/platform/log.ts";
import { createdObject } from "../../shared/platform/object-created.ts";

export type RecordOutcome =
  | {
      readonly status: "applied" | "duplicate" | "suspense";
      readonly programId?: string | undefined;
      /** So much of its money waits in suspense. */
      readonly waitingMinor?: number;
      /** A duplicate of another record, not the same one of a file that is fed again. */
      readonly isDoubled?: boolean;
    }
  | {
      readonly status: "rejected";
      readonly reason: string;
      readonly programId?: string | undefined;
      /** Another record came first with its reference. */
      readonly isDoubled?: boolean;
    };

export interface FileRecord {
  readonly record: number;
  /** Where it begins in the file, counted from 1. */
  readonly line?: number | undefined;
  /** Records of one account come one after the other: at once, they would conflict. */
  readonly account: string;
  /** The operator reads it, should it be rejected. */
  readonly input: string;
  /** What it stands for, in a bank's file. */
  readonly money?: BankMoney | undefined;
  /**
   * `origin` names the file's version and its place there: repeated, it has the first outcome.
   * `place` names the content and the place: it is the same in a file that is fed again.
   */
  apply(origin: string, place: string): Promise<RecordOutcome>;
}

/** A well-formed file. */
export interface OpenFile {
  readonly records: number;
  readonly digest: string;
  /** A bank's file, which is read whole, has them. */
  readonly sums?: { readonly entries: readonly BankMoney[]; readonly records: readonly BankMoney[] };
  readPart(from: number, count: number): Promise<readonly FileRecord[]>;
  /** Takes what a clearing file's records say beside what they change. */
  note?(from: number, part: readonly FileRecord[], outcomes: readonly RecordOutcome[]): Promise<void>;
  /** What is to be done after its records, also again. */
  end?(): Promise<void>;
}

export interface FaultyFile {
  readonly record: number;
  readonly line?: number;
  readonly reason: string;
  /** What is at fault in it. */
  readonly input: string;
}

/** The next invocation goes on with this. */
export interface PartlyVerified {
  readonly verified: NonNullable<FileProgress["verified"]>;
}

export interface FileFormat {
  /** `noted`: how far an invocation before came. Undefined if the file is not there any more. */
  open(
    file: FedFile,
    noted: FileProgress | undefined,
    isTimeUp: () => boolean,
  ): Promise<OpenFile | FaultyFile | PartlyVerified | undefined>;
}

export type Formats = { readonly [Kind in FileKind]: () => Promise<FileFormat> };

/** A file in the bucket. */
export interface FedFile {
  readonly kind: FileKind;
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

/** Undefined for an object that is no file of a known kind. */
export function toFedFile(event: unknown): FedFile | undefined {
  const { key, size: bytes, etag } = createdObject(event);
  const [folder, kind, name, ...more] = key.split("/");
  const known = FileKind.safeParse(kind);
  if (folder !== "in" || !known.success || !name || more.length > 0) return undefined;
  return { kind: known.data, name, key, bytes, etag };
}

export const noProgress: FileProgress = {
  records: 0,
  applied: 0,
  duplicates: 0,
  suspense: 0,
  done: 0,
  rejected: [],
};

/** Each note of the progress has them all. */
const mostListed = 1_000;

export const progressKey = ({ kind, name, etag }: FedFile) => fileKeys.progress(kind, name, etag);

export async function readProgress(file: FedFile): Promise<FileProgress | undefined> {
  const found = await filesBucket.read(progressKey(file));
  return found && FileProgress.parse(JSON.parse(Buffer.from(found).toString()));
}

export async function writeProgress(file: FedFile, progress: FileProgress): Promise<void> {
  await filesBucket.write(progressKey(file), JSON.stringify(progress));
}

/** Tells `feed`, which waits for a report. Without an error: what is known before an attempt. */
export async function noteFailure(file: FedFile, attempt: number, error?: unknown): Promise<void> {
  const reason = error instanceof Error ? error.name : "It ended without an answer";
  const isFinal = error !== undefined && attempt >= fileAttempts;
  try {
    const progress = (await readProgress(file)) ?? noProgress;
    await writeProgress(file, { ...progress, failure: { attempt, reason, isFinal } });
  } catch (unwritten) {
    log.warn("A file's failure could not be noted.", { file: file.key, error: unwritten });
  }
}

export type Outcome = RecordOutcome & Pick<RejectedRecord, "record" | "line"> & Pick<FileRecord, "money">;

export function count(progress: FileProgress, outcomes: readonly Outcome[]): FileProgress {
  const of = (status: Outcome["status"]) => outcomes.filter((one) => one.status === status).length;
  const rejected = outcomes.flatMap((one): RejectedRecord[] =>
    one.status === "rejected" ? [{ record: one.record, line: one.line, reason: one.reason }] : [],
  );
  const all = [...progress.rejected, ...rejected];
  const unlisted = (progress.rejectedUnlisted ?? 0) + Math.max(0, all.length - mostListed);
  return {
    ...progress,
    done: progress.done + outcomes.length,
    applied: progress.applied + of("applied"),
    duplicates: progress.duplicates + of("duplicate"),
    suspense: progress.suspense + of("suspense"),
    rejected: all.slice(0, mostListed),
    ...(unlisted > 0 && { rejectedUnlisted: unlisted }),
    sums: addOutcomes(progress.sums ?? [], outcomes),
  };
}

type Part = Exclude<keyof FileSums, "currency">;

const parts = {
  applied: "booked",
  suspense: "suspense",
  rejected: "refused",
  duplicate: "known",
} as const satisfies Record<RecordOutcome["status"], Part>;

const nothing = { count: 0, amount: 0 };
const empty = { entries: nothing, booked: nothing, suspense: nothing, refused: nothing, known: nothing };

function add(sums: readonly FileSums[], part: Part, money: BankMoney | undefined): readonly FileSums[] {
  if (!money) return sums;
  const { currency, amount } = money;
  const before = sums.find((one) => one.currency === currency) ?? { currency, ...empty };
  const { count, amount: summed } = before[part];
  const after = { ...before, [part]: { count: count + 1, amount: summed + amount } };
  return [...sums.filter((one) => one.currency !== currency), after].toSorted((one, other) =>
    one.currency < other.currency ? -1 : 1,
  );
}

interface Counted {
  readonly status: RecordOutcome["status"];
  readonly money?: BankMoney | undefined;
  readonly waitingMinor?: number;
}

/** With what has become of these records. */
export function addOutcomes(sums: readonly FileSums[], outcomes: readonly Counted[]): FileSums[] {
  return [...outcomes.reduce(addOutcome, sums)];
}

function addOutcome(sums: readonly FileSums[], { status, money, waitingMinor = 0 }: Counted) {
  if (!money || waitingMinor === 0) return add(sums, parts[status], money);
  const rest = add(sums, parts[status], { ...money, amount: money.amount - waitingMinor });
  return add(rest, "suspense", { ...money, amount: waitingMinor });
}

/** With the entries, as they stand in the file. */
export function addEntries(sums: readonly FileSums[], entries: readonly BankMoney[]): FileSums[] {
  return [...entries.reduce((all, entry) => add(all, "entries", entry), sums)];
}

/** Where each record is its own entry. */
export function withRecords({ currency, entries: _, ...all }: FileSums): FileSums {
  const sumUp = (name: "count" | "amount") => Object.values(all).reduce((sum, one) => sum + one[name], 0);
  return { currency, entries: { count: sumUp("count"), amount: sumUp("amount") }, ...all };
}

type Counts = Pick<FileReport, "records" | "applied" | "duplicates" | "suspense" | "rejected"> &
  Pick<FileProgress, "rejectedUnlisted">;

/** Whether numbers agree, and the money of each currency. */
export function addsUp(counts: Counts, sums: readonly FileSums[]): boolean {
  const { records, applied, duplicates, suspense, rejected, rejectedUnlisted = 0 } = counts;
  if (applied + duplicates + suspense + rejected.length + rejectedUnlisted !== records) return false;
  return sums.every(
    (one) =>
      one.entries.amount === one.booked.amount + one.suspense.amount + one.refused.amount + one.known.amount,
  );
}
