import type { DeliveryMessage } from "../../shared/callback/delivery-message.ts";
import { type CallbackOutcome, isDelivered, sendCallback } from "../../shared/callback/send-callback.ts";
import { now, pause } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { randomInteger } from "../../shared/id.ts";
import { log } from "../../shared/log.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import {
  isFailing,
  isHealthy,
  recordFailure,
  recordSlowness,
  recordSuccess,
  slowAfterMs,
} from "../../shared/webhook/endpoint-health.ts";
import { followUp } from "./follow-up.ts";
import { recordAttempt } from "./record-attempt.ts";
import { readSubject, type Subject } from "./subject.ts";
import { releasePlace, takePlace } from "./take-place.ts";

/** Sends that may be under way at once to an endpoint on the detour: while it fails, only what finds out whether it still does. */
const placesOf = (subject: Subject) => (isFailing(subject.health) ? 1 : 4);

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
  const place = await takePlace(programId, endpointId, placesOf(subject));
  if (!place) return moveToDetour({ ...message, deferrals: message.deferrals + 1 }, message.deferrals + 1);
  try {
    await attempt(message, subject);
  } finally {
    await releasePlace(place);
  }
}

const firstDeferralSeconds = 2;
const longestDeferralSeconds = 120;

async function moveToDetour(message: DeliveryMessage, deferrals: number): Promise<void> {
  const longest = Math.min(firstDeferralSeconds * 2 ** deferrals, longestDeferralSeconds);
  const delaySeconds = deferrals === 0 ? 0 : randomInteger(1, longest + 1);
  await sendMessages(environment.callbackDetourUrl, [
    { body: message, groupId: message.endpointId, delaySeconds },
  ]);
}

async function attempt(message: DeliveryMessage, subject: Subject): Promise<void> {
  const { url, body, secrets } = subject;
  const sending = sendCallback({ url, messageId: message.messageId, body, secrets });
  await watch(message, subject, sending);
  const outcome = await sending;
  const { programId, messageId, endpointId } = message;
  log.info("Callback sent.", {
    programId,
    messageId,
    endpointId,
    attempt: message.attempt,
    status: outcome.status,
    failure: "failure" in outcome ? outcome.failure : undefined,
    latencyMs: outcome.latencyMs,
  });
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
