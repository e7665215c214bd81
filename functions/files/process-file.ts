import * as z from "zod";
import { type FileProgress, type FileReport, fileKeys } from "../../shared/contract/file-report.ts";
import { monotonicMs, now, unixSeconds } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { filesBucket } from "../../shared/platform/file-store.ts";
import { log } from "../../shared/platform/log.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import { exists } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { TimeUpError } from "../../shared/platform/time-budget.ts";
import {
  addEntries,
  addOutcomes,
  addsUp,
  count,
  type FaultyFile,
  type FedFile,
  type FileRecord,
  type Formats,
  noProgress,
  type OpenFile,
  type Outcome,
  progressKey,
  readProgress,
  withRecords,
  writeProgress,
} from "./file-format.ts";

/** The first file of a content. */
const contents = defineEntity({
  name: "file",
  schema: z.object({
    name: z.string(),
    /** To its end, and no record was rejected: the same content has nothing left to apply. */
    isDone: z.boolean().optional(),
    expiresAtSeconds: z.int(),
  }),
  key: (kind: string, digest: string) => ({ pk: `FILE#${kind}#${digest}`, sk: "FILE" }),
});

const keptDays = 400;
/** Records between two notes of the progress. */
const partSize = 100;
const atOnce = 16;

/**
 * Applies a file's records, or goes on where the last invocation ended. False if there are more:
 * the message is to be sent again. Each invocation applies at least one record, or a part of one
 * that names thousands of payments. A record that was applied just before an invocation was killed
 * is known to be this file's, and counts as applied.
 */
export async function processFile(file: FedFile, formats: Formats): Promise<boolean> {
  const startedMs = monotonicMs();
  const { handOverMs } = environment;
  const isTimeUp = () => monotonicMs() - startedMs > handOverMs;
  const noted = await readProgress(file);
  const format = await formats[file.kind]();
  const opened = await format.open(file, noted, isTimeUp);
  if (!opened) {
    await endGone(file, noted);
    return true;
  }
  if ("verified" in opened) {
    await writeProgress(file, { ...noProgress, verified: opened.verified });
    return false;
  }
  if ("reason" in opened) {
    await refuse(file, opened);
    return true;
  }
  const { records, digest } = opened;
  const isGoingOn = noted?.digest !== undefined;
  if (!isGoingOn && (await wasDone(file, digest))) {
    const known = opened.sums?.records.map((money) => ({ status: "duplicate", money }) as const) ?? [];
    const counts = { ...none, records, duplicates: records, rejected: [], sums: addOutcomes([], known) };
    await finish(file, { ...summed(opened, counts), status: "duplicate" });
    return true;
  }
  const { failure: _, ...from } = isGoingOn ? noted : { ...noProgress, records, digest };
  let progress = from;
  while (progress.done < records) {
    const from = progress.done;
    const part = await opened.readPart(from, partSize);
    const outcomes = await applyAll(file, { digest, done: from }, part, isTimeUp);
    await opened.note?.(from, part, outcomes);
    progress = count(progress, outcomes);
    await writeProgress(file, progress);
    const isUnfinished = outcomes.length === 0;
    if (progress.done < records && (isUnfinished || isTimeUp())) return false;
  }
  await opened.end?.();
  if (progress.rejected.length === 0)
    await contents.at(file.kind, digest).updateNow({ set: { isDone: true } }, exists);
  await finish(file, { ...summed(opened, counted(progress)), status: "applied" });
  return true;
}

/** With the entries, which the records must add up to. A clearing file's are its records. */
function summed<Counts extends Omit<FileReport, "file" | "etag" | "status">>(
  { sums: read }: OpenFile,
  { sums = [], ...counts }: Counts,
): Omit<Counts, "sums"> & Pick<FileReport, "sums" | "addsUp"> {
  const all = read ? addEntries(sums, read.entries) : sums.map(withRecords);
  return { ...counts, sums: all, addsUp: addsUp(counts, all) };
}

function counted({ done, digest, verified, failure, ...counts }: FileProgress) {
  return counts;
}

const none = { applied: 0, duplicates: 0, suspense: 0 };

/** If it was not done, or had rejected records, each record is looked at again. */
async function wasDone({ kind, name }: FedFile, digest: string): Promise<boolean> {
  const expiresAtSeconds = unixSeconds(now()) + keptDays * 86_400;
  const before = await contents.at(kind, digest).createNow({ name, expiresAtSeconds });
  return before?.isDone === true && before.name !== name;
}

/**
 * A few accounts at a time: each waits for the table. Returns the outcomes up to the first record
 * for which there was no time.
 */
async function applyAll(
  file: FedFile,
  { digest, done }: { readonly digest: string; readonly done: number },
  part: readonly FileRecord[],
  isTimeUp: () => boolean,
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = part.map(() => undefined);
  const indexed = part.map((record, index) => ({ record, index }));
  const waiting = Map.groupBy(indexed, ({ record }) => record.account).values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const records of waiting) {
      for (const { record, index } of records) {
        if (index > 0 && isTimeUp()) return;
        const outcome = await applyOne(file, { digest, number: done + index + 1 }, record);
        if (outcome === undefined) return;
        outcomes[index] = outcome;
      }
    }
  });
  // All end before an error does: none goes on beside the next attempt.
  const ended = await Promise.allSettled(workers);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  const missing = outcomes.indexOf(undefined);
  return outcomes.slice(0, missing < 0 ? part.length : missing).filter((one) => one !== undefined);
}

/** Undefined if there was no time for all of the record: the next invocation comes further. */
async function applyOne(
  file: FedFile,
  { digest, number }: { readonly digest: string; readonly number: number },
  { record, line, input, money, apply }: FileRecord,
): Promise<Outcome | undefined> {
  const origin = `${file.key}@${file.etag}#${number}`;
  const applied = apply(origin, `${digest}#${number}`);
  const outcome = await applied.catch((error: unknown) => {
    if (error instanceof TimeUpError) return undefined;
    throw error;
  });
  if (outcome === undefined) return undefined;
  if (outcome.status === "rejected") {
    const { programId } = outcome;
    const reason = placed(file, { record, line, reason: outcome.reason });
    await keepRefused({ port: file.kind, reason, input, programId, identity: origin });
  }
  return { ...outcome, record, money, ...(line !== undefined && { line }) };
}

async function refuse(file: FedFile, { input, ...fault }: FaultyFile): Promise<void> {
  const identity = `${file.key}@${file.etag}`;
  await keepRefused({ port: file.kind, reason: placed(file, fault), input, identity });
  await finish(file, { ...none, status: "refused", records: 0, rejected: [fault] });
}

function placed(
  { name }: FedFile,
  { record, line, reason }: Pick<FileRecord, "record" | "line"> & { readonly reason: string },
): string {
  return `${name}, record ${record}${line === undefined ? "" : `, line ${line}`}: ${reason}`;
}

/** The file is deleted last but one: until then, a repetition writes the same report. */
async function finish(file: FedFile, report: Omit<FileReport, "file" | "etag">): Promise<void> {
  const { kind, name, key, etag } = file;
  await filesBucket.write(fileKeys.report(kind, name), await writeReport(file, report));
  await filesBucket.delete(key, { etag });
  await filesBucket.delete(progressKey(file));
  const { status, rejected, addsUp: isComplete, ...counts } = report;
  const done = { file: key, status, ...counts, rejected: rejected.length };
  if (isComplete === false) log.error("A file's records do not add up to its entries.", done);
  else log.info("A file is done.", done);
}

/** A version that has no report yet was replaced or deleted: its report has what counts of it. */
async function endGone(file: FedFile, noted = noProgress): Promise<void> {
  const { kind, name, key, etag } = file;
  if (!(await filesBucket.read(fileKeys.report(kind, name, etag)))) {
    log.error("A file was replaced or deleted before its end.", { file: key, etag });
    const advice = "If its records are still meant, feed it again under another name.";
    const reason = `${name}, version ${etag}: it was replaced or deleted before its end. ${advice}`;
    await keepRefused({ port: kind, reason, input: key, identity: `${key}@${etag}` });
    await writeReport(file, { ...counted(noted), status: "incomplete" });
  }
  await filesBucket.delete(progressKey(file));
}

async function writeReport({ kind, name, etag }: FedFile, report: Omit<FileReport, "file" | "etag">) {
  const text = JSON.stringify({ file: name, etag, ...report });
  await filesBucket.write(fileKeys.report(kind, name, etag), text);
  return text;
}
