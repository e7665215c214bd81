import { now } from "../platform/clock.ts";
import { madeAt } from "../platform/id.ts";
import { logMeasured } from "../platform/metrics.ts";
import { isDelivered, type Sent } from "./send-callback.ts";

/** An attempt that was made. */
interface MadeAttempt {
  /** The event that it is made for, whose id has its time inside. */
  readonly eventId: string;
  /** From 1. */
  readonly attempt: number;
  /** How many times it had to wait for a place at its receiver. */
  readonly deferrals?: number;
  readonly sent: Sent;
}

/** Tells of an attempt, and measures it: the lag is from the event to the answer, and the receiver's own where it let the platform wait or try again. */
export function logDelivery(
  message: string,
  ids: Readonly<Record<string, string>>,
  { eventId, attempt, deferrals = 0, sent }: MadeAttempt,
): void {
  const { status, failure, latencyMs } = sent;
  const lag = attempt === 1 && deferrals === 0 ? "DeliveryLag" : "RetriedDeliveryLag";
  logMeasured(message, { ...ids, attempt, status, failure, latencyMs }, () => ({
    DeliveryAttempts: 1,
    DeliveryFailures: isDelivered(sent) ? 0 : 1,
    ...(isDelivered(sent) && { [lag]: now().getTime() - madeAt(eventId).getTime() }),
  }));
}
