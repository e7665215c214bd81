import { randomInteger } from "../platform/id.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after the first, second, … attempt that failed: more than three days in all. */
const waitsMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** A tenth is added at most, so that what failed at once does not come back at once. */
const jitter = 0.1;

/** How long to wait after so many attempts (from 1) have failed; undefined when there are no more to come. */
export function retryDelayMs(failedAttempts: number): number | undefined {
  return withJitter(waitsMs[failedAttempts - 1]);
}

function withJitter(waitMs: number | undefined): number | undefined {
  return waitMs && waitMs + randomInteger(0, Math.ceil(waitMs * jitter));
}

/** Waits for what is soon of no use: every quarter of an hour at last. */
const urgentWaitsMs = [5, 10, 15, 30, 60, 60, 120, 300, 900].map((seconds) => seconds * second);

/** The same for what is of use until `until` alone: tried more often, and undefined once the next attempt would come too late. */
export function urgentRetryDelayMs(failedAttempts: number, at: Date, until: Date): number | undefined {
  const waitMs = withJitter(urgentWaitsMs[failedAttempts - 1] ?? urgentWaitsMs.at(-1));
  return waitMs !== undefined && at.getTime() + waitMs < until.getTime() ? waitMs : undefined;
}
