import { now } from "../platform/clock.ts";
import { maximumDelaySeconds } from "../platform/queue/outgoing-message.ts";
import type { Sent } from "./send-callback.ts";

/** Attempts are kept for so long, and so are notifications, which are what most of them sent. */
export const keptSeconds = 90 * 86_400;

const gone = 410;

/** Whether the receiver has answered that it wants no more of it, ever. */
export function isGone({ status, failure }: Pick<Sent, "status" | "failure">): boolean {
  return failure === undefined && status === gone;
}

/** Whether a wait is too long for a queue, and so a deadline. */
export function isFarOff(delayMs: number): boolean {
  return delayMs > maximumDelaySeconds * 1000;
}

/**
 * For how long a queue is to hold the next attempt back, by the record of the one before; undefined for one that is far off and has had its
 * deadline since the record was written.
 */
export function queueDelaySeconds(createdAt: string, nextAttemptAt: string): number | undefined {
  const dueMs = Date.parse(nextAttemptAt);
  if (isFarOff(dueMs - Date.parse(createdAt))) return undefined;
  return Math.max(0, Math.ceil((dueMs - now().getTime()) / 1000));
}
