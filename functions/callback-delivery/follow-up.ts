import type { DeliveryMessage } from "../../shared/callback/delivery-message.ts";
import { isGone, queueDelaySeconds } from "../../shared/callback/next-attempt.ts";
import { environment } from "../../shared/environment.ts";
import { log } from "../../shared/log.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import type { Attempt } from "../../shared/webhook/attempt.ts";

/**
 * What an attempt's record says is to follow: nothing, the next attempt by way of the queue (one that is far off has its deadline since the
 * record was written), or that the delivery is given up. Done again for each copy of the message, so that no crash in between loses it.
 */
export async function followUp(
  message: DeliveryMessage,
  { delivered, responseStatus, error, createdAt, nextAttemptAt }: Attempt,
): Promise<void> {
  if (delivered || isGone({ status: responseStatus, failure: error })) return;
  const next: DeliveryMessage = { ...message, attempt: message.attempt + 1, deferrals: 0 };
  const groupId = message.endpointId;
  if (nextAttemptAt !== undefined) {
    const delaySeconds = queueDelaySeconds(createdAt, nextAttemptAt);
    if (delaySeconds === undefined) return;
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
