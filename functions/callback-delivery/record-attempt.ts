import type { Attempt } from "../../shared/delivery/attempt.ts";
import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { disablingWrites } from "../../shared/delivery/disable-endpoint.ts";
import { isGivenUp } from "../../shared/delivery/endpoint-health.ts";
import { isFarOff, isGone, keptSeconds } from "../../shared/delivery/next-attempt.ts";
import { retryDelayMs } from "../../shared/delivery/retry-schedule.ts";
import { type CallbackOutcome, isDelivered } from "../../shared/delivery/send-callback.ts";
import { now, timestamp, unixSeconds } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { putNew } from "../../shared/platform/table/put-new.ts";
import { type StoredItem, transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { attemptAfter } from "./follow-up.ts";
import { retryDeadlinePut } from "./retry-deadline.ts";
import { attemptKey, type Subject } from "./subject.ts";

/**
 * Records what came of an attempt, with the deadline of the next one where that is far off; a receiver that is gone for good, or has failed for five
 * days, has its endpoint switched off in the same transaction. Where a copy of the message was quicker, its record stands.
 */
export async function recordAttempt(
  message: DeliveryMessage,
  subject: Subject,
  outcome: CallbackOutcome,
): Promise<Attempt> {
  const at = now();
  const made = attemptOf(message, subject, outcome, at);
  const disabling = disablingOf(message, subject, outcome, at);
  if (disabling) {
    const last: Attempt = { ...made, disabled: true };
    const written = await transact([attemptPut(message, last, at), ...disabling]);
    if (written.committed) return last;
    const first = written.refusals.get("attempt");
    if (first) return first as unknown as Attempt;
    // The endpoint was deleted, changed or switched off meanwhile: an attempt like any other.
  }
  const delayMs = isDelivered(outcome) || isGone(outcome) ? undefined : retryDelayMs(message.attempt);
  if (delayMs === undefined) return (await record(message, made, [], at)) ?? made;
  const next = new Date(at.getTime() + delayMs);
  const retried: Attempt = { ...made, nextAttemptAt: timestamp(next) };
  const beside = isFarOff(delayMs) ? [retryDeadlinePut(attemptAfter(message), next)] : [];
  return (await record(message, retried, beside, at)) ?? retried;
}

function attemptOf(
  { endpointId, deliveryId, attempt }: DeliveryMessage,
  { bodySha256 }: Subject,
  outcome: CallbackOutcome,
  at: Date,
): Attempt {
  return {
    endpointId,
    deliveryId,
    attempt,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    ...("failure" in outcome && { error: outcome.failure }),
    latencyMs: outcome.latencyMs,
    bodySha256,
    createdAt: timestamp(at),
  };
}

function disablingOf(
  { programId, endpointId: webhookId }: DeliveryMessage,
  { url, health }: Subject,
  outcome: CallbackOutcome,
  at: Date,
): WriteAction[] | undefined {
  if (isGone(outcome)) return disablingWrites({ programId, webhookId, url, reason: "GONE" }, at);
  if (isDelivered(outcome) || !isGivenUp(health, at)) return undefined;
  return disablingWrites({ programId, webhookId, url, reason: "FAILING", health }, at);
}

function attemptPut(message: DeliveryMessage, made: Attempt, at: Date) {
  const Item = { ...attemptKey(message), ...made, expiresAtSeconds: unixSeconds(at) + keptSeconds };
  const ConditionExpression = "attribute_not_exists(pk)";
  return { name: "attempt", Put: { TableName: environment.issuingTable, Item, ConditionExpression } };
}

/** Writes the attempt with what is to be written beside it; answers the record that stands there already, where one does. */
async function record(
  message: DeliveryMessage,
  made: Attempt,
  beside: readonly WriteAction[],
  at: Date,
): Promise<Attempt | undefined> {
  const put = attemptPut(message, made, at);
  if (beside.length > 0) {
    const written = await transact([put, ...beside]);
    if (written.committed) return undefined;
    const first: StoredItem = written.refusals.get("attempt");
    if (first) return first as unknown as Attempt;
    // The deadline stands already: a copy of the message has skipped this attempt.
  }
  const first = await putNew("attempt", environment.issuingTable, put.Put.Item);
  return first as unknown as Attempt | undefined;
}
