import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { type EndpointHealth, isUnreachable, probeWaitMs } from "../../shared/delivery/endpoint-health.ts";
import { isFarOff } from "../../shared/delivery/next-attempt.ts";
import { retryDelayMs } from "../../shared/delivery/retry-schedule.ts";
import { now } from "../../shared/platform/clock.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { defer, deferFor, moveToDetour, suspectDeferralSeconds } from "./defer.ts";
import { attemptAfter, giveUp } from "./follow-up.ts";
import { retryDeadlinePut } from "./retry-deadline.ts";

/** So that what waited for a probe does not come back at once. */
const spreadSeconds = 60;

/**
 * Makes no attempt, since the endpoint is known to fail. In the first hour of probing the message
 * waits. Later each probe counts as its attempt, the last one only if the probe came after it was due.
 */
export async function skipAttempt(
  message: DeliveryMessage,
  health: EndpointHealth | undefined,
): Promise<void> {
  const at = now();
  if (!isUnreachable(health, at)) return defer(message, suspectDeferralSeconds);
  const delayMs = retryDelayMs(message.attempt);
  if (delayMs === undefined) {
    if (message.deferrals > 0) return giveUp(message, {});
    return deferFor(message, Math.ceil(probeWaitMs(health, at) / 1000) + randomInteger(1, spreadSeconds));
  }
  const next = attemptAfter(message);
  if (!isFarOff(delayMs)) return moveToDetour(next, Math.ceil(delayMs / 1000));
  // Refused where a copy of the message was quicker.
  await transact([retryDeadlinePut(next, new Date(at.getTime() + delayMs))]);
}
