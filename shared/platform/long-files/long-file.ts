import * as z from "zod";
import type { OutboxEvent } from "../../contract/outbox.ts";
import { monotonicMs, now, timestamp, unixSeconds } from "../clock.ts";
import { type Download, filesBucket } from "../file-store.ts";
import { newId } from "../id.ts";
import { outboxPut } from "../outbox/outbox-put.ts";
import { atMost, type Change, type Condition, isNew } from "../table/condition.ts";
import type { StoredAt } from "../table/entity.ts";
import { transact } from "../table/transact.ts";
import { stepWorkMs } from "../time-budget.ts";

/** One without progress for this long has failed: the next request begins again. */
const staleAfterMs = 600_000;
const keptMs = 7 * 86_400_000;
/** What still changes is made again after it. */
const freshMs = 3_600_000;
const urlSeconds = 900;

/** A file that takes longer than a request: it is made in the background, and fetched by a URL. */
const LongFile = z.object({
  programId: z.string(),
  fileId: z.string(),
  /** What it is about does not change any more. */
  closed: z.boolean(),
  requestedAt: z.string(),
  /** How many messages it has taken. */
  step: z.int(),
  progressPercent: z.int(),
  /** Counts as running until then; each step extends it. */
  runsUntil: z.string(),
  /** Absent until it is done. */
  key: z.string().optional(),
  /** It has more than its format takes. */
  isTooLong: z.boolean().optional(),
  expiresAtSeconds: z.int(),
});
type LongFile = Readonly<z.output<typeof LongFile>>;

/** The schema of what is stored of one has these fields. */
export const longFileFields = LongFile.shape;

export function newLongFile(programId: string, closed: boolean, at: Date): LongFile {
  return {
    programId,
    fileId: newId("longFile"),
    closed,
    requestedAt: timestamp(at),
    step: 0,
    progressPercent: 0,
    runsUntil: timestamp(new Date(at.getTime() + staleAfterMs)),
    expiresAtSeconds: unixSeconds(new Date(at.getTime() + keptMs)),
  };
}

interface Request<F extends LongFile> {
  readonly kind: OutboxEvent["kind"];
  /** Names the file in the messages of its steps. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly begin: () => Promise<F>;
}

/** The file, begun if there is none. One of several requests at once begins it. */
export async function requestLongFile<F extends LongFile>(
  item: StoredAt<F>,
  { kind, detail, begin }: Request<F>,
  at: Date,
): Promise<F> {
  const found = await item.get();
  if (found && isUsable(found, at)) return found;
  const file = await begin();
  const isAsSeen = found ? ({ fileId: found.fileId, step: found.step } as Condition<F>) : isNew;
  const { programId, fileId } = file;
  const outcome = await transact([
    item.put(file, isAsSeen),
    outboxPut(programId, kind, { ...detail, fileId }, at),
  ]);
  return outcome.committed ? file : item.require();
}

/** One that is under way, or done and still there. */
export function isUsable(
  { key, isTooLong, closed, runsUntil, requestedAt, expiresAtSeconds }: LongFile,
  at: Date,
): boolean {
  if (key === undefined && !isTooLong) return runsUntil > timestamp(at);
  const isFresh = closed || Date.parse(requestedAt) + freshMs > at.getTime();
  // A URL that is made now still works.
  return isFresh && expiresAtSeconds > unixSeconds(new Date(at.getTime() + freshMs));
}

/** Undefined if it has already advanced further, is done, or was begun again. */
export async function advanceLongFile<F extends LongFile>(
  item: StoredAt<F>,
  { fileId, step }: Pick<LongFile, "fileId" | "step">,
  progress: Partial<Pick<LongFile, "progressPercent" | "key" | "isTooLong">>,
  at: Date,
): Promise<F | undefined> {
  const runsUntil = timestamp(new Date(at.getTime() + staleAfterMs));
  const set = { ...progress, step, runsUntil };
  const isNext = { fileId, step: atMost(step), key: undefined, isTooLong: undefined };
  const outcome = await item.updateNow({ set } as unknown as Change<F>, isNext as unknown as Condition<F>);
  return outcome.updated ? outcome.item : undefined;
}

/** What is answered of it: its progress, and a URL once it is done. */
export async function toLongFileView(
  { key, progressPercent }: LongFile,
  download: Omit<Download, "expiresInSeconds">,
  at: Date,
) {
  const url = key && {
    url: await filesBucket.downloadUrl(key, { ...download, expiresInSeconds: urlSeconds }),
    expiresAt: timestamp(new Date(at.getTime() + urlSeconds * 1000)),
  };
  const status = key === undefined ? ("running" as const) : ("done" as const);
  return { status, progressPercent, ...url };
}

/** However slow they are: each step gets further. */
const minimumReads = 200;

export interface StepLimits {
  readonly workMs?: number;
  readonly reads?: number;
}

export interface StepTime {
  /** Asked after each read. */
  readonly isTimeUp: () => boolean;
  /** Whether what takes long by itself must not begin any more. */
  readonly isLate: () => boolean;
}

type End = { readonly key: string } | { readonly isTooLong: true };
export type Next<Step> = Partial<Step> | { readonly end: End };

interface LongWork<Step, F> {
  readonly item: StoredAt<F & LongFile>;
  readonly progressPercent: number;
  readonly take: (file: F, time: StepTime) => Promise<Next<Step>>;
}

/** Takes one step, and returns the next one. A repeated message takes the same step. */
export async function takeFileStep<Step extends { fileId: string; step: number }, F extends LongFile>(
  step: Step,
  { item, progressPercent, take }: LongWork<Step, F>,
  { workMs = stepWorkMs, reads = minimumReads }: StepLimits,
): Promise<Step | undefined> {
  const file = await advanceLongFile(item, step, { progressPercent }, now());
  if (!file) return undefined;
  const endsAtMs = monotonicMs() + workMs;
  const isLate = () => monotonicMs() >= endsAtMs;
  let asked = 0;
  const isTimeUp = () => {
    asked += 1;
    return asked >= reads && isLate();
  };
  const next = await take(file, { isTimeUp, isLate });
  if ("end" in next) {
    await advanceLongFile(item, step, { ...(next.end as End), progressPercent: 100 }, now());
    return undefined;
  }
  return { ...step, ...next, step: step.step + 1 };
}
