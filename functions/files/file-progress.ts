import {
  FileProgress,
  fileAttempts,
  fileKeys,
  type RejectedRecord,
} from "../../shared/contract/file-report.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { log } from "../../shared/platform/log.ts";
import type { FedFile } from "./fed-file.ts";
import type { FileRecord, RecordOutcome } from "./file-format.ts";
import { addOutcomes } from "./file-sums.ts";

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
