import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import {
  claimProbe,
  isFailing,
  isHealthy,
  isSuspect,
  probeWaitMs,
  recordFailure,
  recordSlowness,
  recordSuccess,
  slowAfterMs,
} from "../../shared/delivery/endpoint-health.ts";
import { logDelivery } from "../../shared/delivery/log-delivery.ts";
import { type CallbackOutcome, isDelivered, sendCallback } from "../../shared/delivery/send-callback.ts";
import { now, pause } from "../../shared/platform/clock.ts";
import { defer, moveToDetour, newDeferralSeconds, suspectDeferralSeconds } from "./defer.ts";
import { followUp } from "./follow-up.ts";
import { recordAttempt } from "./record-attempt.ts";
import { skipAttempt } from "./skip-attempt.ts";
import { type ItemReader, readSubject, type Subject } from "./subject.ts";
import { hasPlace, releasePlace, takePlace } from "./take-place.ts";

/** Sends that may be under way at once to an endpoint on the detour: one where it may be dead, to find out. */
const placesOf = (subject: Subject) => (isSuspect(subject.health) ? 1 : 4);

/**
 * Makes one attempt. What is sent, where to and whether at all is read before anything is written. An attempt that was made before, by a copy of the
 * message, is not made again: only what was to follow it is made sure of.
 */
export async function deliver(message: DeliveryMessage, isDetour: boolean, items: ItemReader): Promise<void> {
  const subject = await readSubject(message, items);
  if (subject === undefined) return;
  if (subject.made) return followUp(message, subject.made);
  const { health } = subject;
  if (probeWaitMs(health, now()) > 0) return skipAttempt(message, health);
  if (!isDetour && !isHealthy(health)) return moveToDetour(message, 0);
  if (isFailing(health)) return probe(message, subject);
  if (isDetour && !isHealthy(health)) return deliverFromDetour(message, subject);
  await attempt(message, subject);
}

/** Sends to an endpoint that fails, for all that wait for it. */
async function probe(message: DeliveryMessage, subject: Subject): Promise<void> {
  const { programId, endpointId: webhookId, messageId: transIdSc } = message;
  const outcome = await claimProbe({ programId, webhookId, transIdSc }, subject.health, now());
  return outcome.claimed ? attempt(message, subject) : skipAttempt(message, outcome.health);
}

/** An endpoint that has yet to prove itself has few places; what finds none comes again later. That counts as no attempt. */
async function deliverFromDetour(message: DeliveryMessage, subject: Subject): Promise<void> {
  const { programId, endpointId } = message;
  const places = placesOf(subject);
  const isTaken = hasPlace(subject.places, places) && (await takePlace(programId, endpointId, places));
  if (!isTaken)
    return defer(message, isSuspect(subject.health) ? suspectDeferralSeconds : newDeferralSeconds);
  try {
    await attempt(message, subject);
  } finally {
    await releasePlace(programId, endpointId);
  }
}

async function attempt(message: DeliveryMessage, subject: Subject): Promise<void> {
  const { url, body, secrets } = subject;
  const sending = sendCallback({ url, messageId: message.messageId, body, secrets });
  await watch(message, subject, sending);
  const outcome = await sending;
  const { programId, messageId, endpointId, deliveryId: eventId, attempt, deferrals } = message;
  const ids = { programId, messageId, endpointId };
  logDelivery("Callback sent.", ids, { eventId, attempt, deferrals, sent: outcome });
  const made = await recordAttempt(message, subject, outcome);
  await noteHealth(message, subject, outcome);
  await followUp(message, made);
}

/** Tells of an endpoint that lets its sender wait while it does, so that no more senders come to wait. */
async function watch(
  { programId, endpointId }: DeliveryMessage,
  { health }: Subject,
  sending: Promise<CallbackOutcome>,
): Promise<void> {
  if (health?.slowSince !== undefined) return;
  const answered = await Promise.race([sending, pause(slowAfterMs).then(() => undefined)]);
  if (answered === undefined) await recordSlowness(programId, endpointId, now());
}

async function noteHealth(
  { programId, endpointId }: DeliveryMessage,
  { health }: Subject,
  outcome: CallbackOutcome,
): Promise<void> {
  if (isDelivered(outcome)) return recordSuccess(programId, endpointId, health, outcome.latencyMs, now());
  if (!isFailing(health)) await recordFailure(programId, endpointId);
}
