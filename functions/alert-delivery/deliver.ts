import { type AlertMessage, ownerOf } from "../../shared/delivery/alert-event.ts";
import type { AlertAttempt } from "../../shared/delivery/alert-retry.ts";
import { logDelivery } from "../../shared/delivery/log-delivery.ts";
import { queueDelaySeconds } from "../../shared/delivery/next-attempt.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { readAttempt, recordAttempt } from "./record-attempt.ts";
import { readSubject, type Subject } from "./subject.ts";

/**
 * Makes one attempt. What is sent, where to and whether at all is read now. An attempt that was made before, by a copy of the message, is not made
 * again: only what was to follow it is made sure of.
 */
export async function deliver(message: AlertMessage): Promise<void> {
  const [subject, made] = await Promise.all([readSubject(message.detail), readAttempt(message)]);
  if (!subject) return;
  await followUp(message, made ?? (await attempt(message, subject)), subject);
}

async function attempt(message: AlertMessage, subject: Subject): Promise<AlertAttempt> {
  const outcome = await subject.send();
  const { kind, eventId } = message.detail;
  logDelivery("Alert sent.", { kind }, { eventId, attempt: message.attempt, sent: outcome });
  return recordAttempt(message, subject, outcome);
}

/** The next attempt by way of the queue, unless it is far off and has its deadline since the attempt was recorded; or what cannot be sent is given up. */
async function followUp(message: AlertMessage, made: AlertAttempt, { until }: Subject): Promise<void> {
  const { delivered, createdAt, nextAttemptAt } = made;
  if (delivered) return;
  const { detail } = message;
  const body: AlertMessage = { detail, attempt: message.attempt + 1 };
  if (nextAttemptAt !== undefined) {
    const delaySeconds = queueDelaySeconds(createdAt, nextAttemptAt);
    if (delaySeconds === undefined) return;
    await sendMessages(environment.alertQueueUrl, [{ body, groupId: ownerOf(detail), delaySeconds }]);
    return;
  }
  const { kind, eventId } = detail;
  const { attempt, error, responseStatus } = made;
  log.error("The alert is given up.", { kind, eventId, attempt, error, responseStatus });
  // What is of no use any more is for nobody to send by hand.
  if (until === undefined) await sendMessages(environment.alertDeadLettersUrl, [{ body }]);
}
