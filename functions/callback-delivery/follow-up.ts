import type { Attempt } from "../../shared/delivery/attempt.ts";
import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { isGone, queueDelaySeconds } from "../../shared/delivery/next-attempt.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { moveToDetour } from "./defer.ts";

/**
 * What an attempt's record says is to follow: nothing, the next attempt by way of the queue (one that is far off has its deadline since the
 * record was written), or that the delivery is given up. Done again for each copy of the message, so that no crash in between loses it.
 */
export async function followUp(
  message: DeliveryMessage,
  { delivered, disabled, responseStatus, error, createdAt, nextAttemptAt }: Attempt,
): Promise<void> {
  if (delivered || disabled || isGone({ status: responseStatus, failure: error })) return;
  if (nextAttemptAt === undefined) return giveUp(message, { error, responseStatus });
  const delaySeconds = queueDelaySeconds(createdAt, nextAttemptAt);
  if (delaySeconds !== undefined) await moveToDetour(attemptAfter(message), delaySeconds);
}

/** Puts a delivery aside whose attempts are used up. Put back from there, it is tried once more. */
export async function giveUp(
  message: DeliveryMessage,
  { error, responseStatus }: Pick<Attempt, "error" | "responseStatus">,
): Promise<void> {
  const { programId, messageId, endpointId, attempt } = message;
  log.error("The callback is given up.", {
    programId,
    messageId,
    endpointId,
    attempt,
    error,
    responseStatus,
  });
  const body = attemptAfter(message);
  await sendMessages(environment.callbackDeadLettersUrl, [{ body, groupId: endpointId }]);
}

export function attemptAfter(message: DeliveryMessage): DeliveryMessage {
  return { ...message, attempt: message.attempt + 1, deferrals: 0 };
}
