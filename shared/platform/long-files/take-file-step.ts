import { monotonicMs, now } from "../clock.ts";
import type { StoredAt } from "../table/entity.ts";
import { advanceLongFile, type LongFile } from "./long-file.ts";

/** The rest of an invocation is for what is under way. */
const maximumWorkMs = 8_000;
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

export type End = { readonly key: string } | { readonly isTooLong: true };
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
  { workMs = maximumWorkMs, reads = minimumReads }: StepLimits,
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
