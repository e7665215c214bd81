import type { DeliveryMessage } from "../../shared/callback/delivery-message.ts";
import { now } from "../../shared/clock.ts";
import { environment } from "../../shared/environment.ts";
import { log } from "../../shared/log.ts";
import { maximumDelaySeconds } from "../../shared/queue/outgoing-message.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import type { Attempt } from "../../shared/webhook/attempt.ts";

/** Whether a wait is too long for a queue, and so a deadline. */
export function isFarOff(delayMs: number): boolean {
  return delayMs > maximumDelaySeconds * 1000;
}

/**
 * What an attempt's record says is to follow: nothing, the next attempt by way of the queue (one that is far off has its deadline since the
 * record was written), or that the delivery is given up. Done again for each copy of the message, so that no crash in between loses it.
 */
export async function followUp(
  message: DeliveryMessage,
  { delivered, responseStatus, error, createdAt, nextAttemptAt }: Attempt,
): Promise<void> {
  if (delivered || (responseStatus === 410 && error === undefined)) return;
  const next: DeliveryMessage = { ...message, attempt: message.attempt + 1, deferrals: 0 };
  const groupId = message.endpointId;
  if (nextAttemptAt !== undefined) {
    const due = new Date(nextAttemptAt).getTime();
    if (isFarOff(due - new Date(createdAt).getTime())) return;
    const delaySeconds = Math.max(0, Math.ceil((due - now().getTime()) / 1000));
    return sendMessages(environment.callbackDetourUrl, [{ body: next, groupId, delaySeconds }]);
  }
  const { programId, messageId, endpointId, attempt } = message;
  log.error("The callback is given up.", {
    programId,
    messageId,
    endpointId,
    attempt,
    error,
    responseStatus,
  });
  await sendMessages(environment.callbackDeadLettersUrl, [{ body: next, groupId }]);
}
