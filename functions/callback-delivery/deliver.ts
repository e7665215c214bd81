import type { DeliveryMessage } from "../../shared/callback/delivery-message.ts";
import { logDelivery } from "../../shared/callback/log-delivery.ts";
import { type CallbackOutcome, isDelivered, sendCallback } from "../../shared/callback/send-callback.ts";
import { now, pause } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { randomInteger } from "../../shared/id.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import {
  isFailing,
  isHealthy,
  isSuspect,
  recordFailure,
  recordSlowness,
  recordSuccess,
  slowAfterMs,
} from "../../shared/webhook/endpoint-health.ts";
import { followUp } from "./follow-up.ts";
import { recordAttempt } from "./record-attempt.ts";
import { readSubject, type Subject } from "./subject.ts";
import { releasePlace, takePlace } from "./take-place.ts";

/** Sends that may be under way at once to an endpoint on the detour: one where it may be dead, to find out. */
const placesOf = (subject: Subject) => (isSuspect(subject.health) ? 1 : 4);

/**
 * Makes one attempt. What is sent, where to and whether at all is read now. An attempt that was made before, by a copy of the message, is not made
 * again: only what was to follow it is made sure of.
 */
export async function deliver(message: DeliveryMessage, isDetour: boolean): Promise<void> {
  const subject = await readSubject(message);
  if (subject === undefined) return;
  if (subject.made) return followUp(message, subject.made);
  if (isDetour) return deliverFromDetour(message, subject);
  if (!isHealthy(subject.health)) return moveToDetour(message, 0);
  await attempt(message, subject);
}

/** An endpoint that has yet to prove itself has few places; what finds none comes again later. That counts as no attempt. */
async function deliverFromDetour(message: DeliveryMessage, subject: Subject): Promise<void> {
  const { programId, endpointId } = message;
  if (isHealthy(subject.health)) return attempt(message, subject);
  const isTaken = await takePlace(programId, endpointId, placesOf(subject));
  if (!isTaken)
    return deferFor(message, isSuspect(subject.health) ? suspectDeferralSeconds : newDeferralSeconds);
  try {
    await attempt(message, subject);
  } finally {
    await releasePlace(programId, endpointId);
  }
}

/** First waits for a place: short at an endpoint that is new, long at one that may be dead. */
const newDeferralSeconds = 2;
const suspectDeferralSeconds = 15;
const longestDeferralSeconds = 240;

async function deferFor(message: DeliveryMessage, firstSeconds: number): Promise<void> {
  const { deferrals } = message;
  const longest = Math.min(firstSeconds * 2 ** deferrals, longestDeferralSeconds);
  const delaySeconds = randomInteger(Math.ceil(longest / 2), longest + 1);
  await moveToDetour({ ...message, deferrals: deferrals + 1 }, delaySeconds);
}

async function moveToDetour(message: DeliveryMessage, delaySeconds: number): Promise<void> {
  const groupId = message.endpointId;
  await sendMessages(environment.callbackDetourUrl, [{ body: message, groupId, delaySeconds }]);
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
