import { type DeliveryMessage, retryDeadlineId } from "../../shared/callback/delivery-message.ts";
import { isFarOff, isGone, keptSeconds } from "../../shared/callback/next-attempt.ts";
import { retryDelayMs } from "../../shared/callback/retry-schedule.ts";
import { type CallbackOutcome, isDelivered } from "../../shared/callback/send-callback.ts";
import { now, timestamp, unixSeconds } from "../../shared/clock.ts";
import { deadlinePut } from "../../shared/deadline/deadline.ts";
import { environment } from "../../shared/environment.ts";
import { putNew } from "../../shared/table/put-new.ts";
import { type StoredItem, transact, type WriteAction } from "../../shared/table/transact.ts";
import type { Attempt } from "../../shared/webhook/attempt.ts";
import { endpointOff } from "../../shared/webhook/endpoint.ts";
import { attemptKey, type Subject } from "./subject.ts";

/**
 * Records what came of an attempt, with the deadline of the next one where that is far off; a receiver that is gone for good turns its endpoint
 * off in the same transaction. Where a copy of the message was quicker, its record stands.
 */
export async function recordAttempt(
  message: DeliveryMessage,
  subject: Subject,
  outcome: CallbackOutcome,
): Promise<Attempt> {
  const at = now();
  const { programId, endpointId, deliveryId, attempt } = message;
  const delayMs = isDelivered(outcome) || isGone(outcome) ? undefined : retryDelayMs(attempt);
  const next = delayMs && new Date(at.getTime() + delayMs);
  const made: Attempt = {
    endpointId,
    deliveryId,
    attempt,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    ...("failure" in outcome && { error: outcome.failure }),
    latencyMs: outcome.latencyMs,
    bodySha256: subject.bodySha256,
    createdAt: timestamp(at),
    ...(next && { nextAttemptAt: timestamp(next) }),
  };
  const beside: WriteAction[] = [
    ...(next && isFarOff(delayMs)
      ? [
          deadlinePut({
            ownerId: programId,
            deadlineId: retryDeadlineId({ ...message, attempt: attempt + 1 }),
            kind: "retry_callback",
            dueAt: next,
            cause: message.cause,
          }),
        ]
      : []),
    ...(isGone(outcome) ? [endpointOff(programId, endpointId)] : []),
  ];
  const Item = { ...attemptKey(message), ...made, expiresAtSeconds: unixSeconds(at) + keptSeconds };
  const first = await record(Item, beside);
  return first ? (first as unknown as Attempt) : made;
}

/** Writes the attempt with what is to be written beside it; answers the record that stands there already, where one does. */
async function record(Item: Record<string, unknown>, beside: readonly WriteAction[]): Promise<StoredItem> {
  const TableName = environment.issuingTable;
  if (beside.length > 0) {
    const ConditionExpression = "attribute_not_exists(pk)";
    const attempt: WriteAction = { name: "attempt", Put: { TableName, Item, ConditionExpression } };
    const written = await transact([attempt, ...beside]);
    if (written.committed) return undefined;
    const first = written.refusals.get("attempt");
    if (first) return first;
    // The endpoint was deleted meanwhile: there is nothing to turn off.
  }
  return putNew("attempt", TableName, Item);
}
