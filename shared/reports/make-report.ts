import { createSHA256, type IHasher } from "hash-wasm";
import * as z from "zod";
import type { OutboxEvent } from "../contract/outbox.ts";
import { monotonicMs, now, pause } from "../platform/clock.ts";
import { filesBucket } from "../platform/file-store.ts";
import { FilePart, Joined, joinParts, readPart, writePart } from "../platform/long-files/file-parts.ts";
import { advanceLongFile } from "../platform/long-files/long-file.ts";
import { BalancePlace, readBalanceRows } from "./balances.ts";
import { reportForms } from "./forms.ts";
import { beginNextReport, endReport, type Report, reports, reportsAtWork } from "./report.ts";
import { listedKinds, Place, readListedRows } from "./rows.ts";

/** Rows are written in parts, a part a step; then the parts are joined. */
const Step = z.object({
  reportId: z.string(),
  step: z.int().default(0),
  /** Where the next rows are. */
  place: z.union([Place, BalancePlace]).optional(),
  rows: z.int().default(0),
  bytes: z.int().default(0),
  /** State of the SHA-256 of all parts, in base64. */
  hash: z.string().optional(),
  parts: z.array(FilePart).default([]),
  isWritten: z.boolean().default(false),
  joined: Joined.optional(),
});
type Step = z.output<typeof Step>;

interface Limits {
  readonly workMs?: number;
  readonly rowsInPage?: number;
  readonly partBytes?: number;
  readonly settleMs?: number;
}

const usual = {
  /** The rest of an invocation is for what is under way. */
  workMs: 8_000,
  rowsInPage: 1_000,
  partBytes: 8_000_000,
  /** What was decided before `asOf` may be committed some moments after it. */
  settleMs: 5_000,
};

/**
 * Takes one step, and returns the next one. Repeated, it does the same again, or nothing if a later
 * one is done. A report that has to wait is begun again by the end of the one before.
 */
export async function makeReport(
  { programId, detail }: OutboxEvent,
  given: Limits = {},
): Promise<Step | undefined> {
  const limits = { ...usual, ...given };
  const step = Step.parse(detail);
  const item = reports.at(programId, step.reportId);
  const known = await item.get();
  if (!known || !(await isAtWork(known, step))) return undefined;
  const { fileId } = known;
  const progressPercent = step.isWritten ? 90 : Math.min(80, step.step);
  const report = await advanceLongFile(item, { fileId, step: step.step }, { progressPercent }, now());
  if (report?.status !== "running") return undefined;
  const next = step.isWritten ? await joinFile(step, report, limits) : await writeRows(step, report, limits);
  return next && { ...step, ...next, step: step.step + 1 };
}

/** Whether this report is the one of its kind that is made now. */
async function isAtWork({ programId, reportKind, status, entityId }: Report, { step }: Step) {
  const lane = reportsAtWork.at(programId, reportKind);
  if (status !== "running") {
    // Its last step is repeated: it was killed before it began the next one.
    await beginNextReport(programId, reportKind, now());
    return false;
  }
  if (step > 0) return true;
  const atWork = await lane.createNow({ reportId: entityId });
  return atWork === undefined || atWork.reportId === entityId;
}

type Next = Partial<Step> | undefined;

async function writeRows(step: Step, report: Report, limits: typeof usual): Promise<Next> {
  const { reportKind: kind, format, asOf, to } = report;
  const settled = Date.parse(to) + limits.settleMs - now().getTime();
  if (step.step === 0 && to === asOf && settled > 0) await pause(Math.min(settled, limits.settleMs));
  const endsAtMs = monotonicMs() + limits.workMs;
  const isTimeUp = () => monotonicMs() >= endsAtMs;
  const { head, row } = reportForms[format];
  const texts = step.step === 0 ? [head(kind)] : [];
  let { place, rows } = step;
  let characters = 0;
  do {
    const page = await readRows(report, place, limits.rowsInPage, isTimeUp);
    for (const one of page.rows) {
      const text = row(kind, one);
      texts.push(text);
      characters += text.length;
    }
    rows += page.rows.length;
    place = page.place;
  } while (place && characters < limits.partBytes && !isTimeUp());
  const text = Buffer.from(texts.join(""));
  const hash = await resumeHash(step);
  hash.update(text);
  const parts = [...step.parts, await writePart(toFolder(report), step.step, text)];
  const bytes = step.bytes + text.length;
  const state = Buffer.from(hash.save()).toString("base64");
  return { place, rows, bytes, hash: state, parts, isWritten: place === undefined };
}

/** Node's own cannot be stored between two steps. */
async function resumeHash({ hash }: Step): Promise<IHasher> {
  const sha256 = await createSHA256();
  return hash === undefined ? sha256 : sha256.load(Buffer.from(hash, "base64"));
}

async function readRows(report: Report, place: Step["place"], limit: number, isTimeUp: () => boolean) {
  const { reportKind: kind } = report;
  if (kind === "balances") return readBalanceRows(report, place as BalancePlace | undefined, isTimeUp);
  return readListedRows(report, listedKinds[kind], place as Place | undefined, limit);
}

/** Shorter files are written at once. */
const joinedBytes = 8_000_000;

async function joinFile(step: Step, report: Report, { workMs }: typeof usual): Promise<Next> {
  const { rows, bytes, parts } = step;
  const sha256 = (await resumeHash(step)).digest();
  const { programId, entityId: reportId, format } = report;
  // What another chain of steps has read differently has another name.
  const key = `program-reports/${programId}/${reportId}/${sha256}.${format}`;
  const { contentType } = reportForms[format];
  if (bytes < joinedBytes) {
    await filesBucket.write(key, Buffer.concat(await Promise.all(parts.map(readPart))), contentType);
  } else {
    const endsAtMs = monotonicMs() + workMs;
    const isLate = () => monotonicMs() >= endsAtMs;
    const joined = await joinParts({ key, contentType, parts }, step.joined, isLate);
    if (joined) return { joined };
  }
  await endReport(report, { status: "done", key, rows, bytes, sha256 }, now());
  return undefined;
}

function toFolder({ programId, fileId }: Report): string {
  return `report-parts/${programId}/${fileId}`;
}
