import { notificationsKeptSeconds } from "../contract/notifications.ts";
import type { DeliveryError } from "../contract/webhooks.ts";
import { now, timestamp, unixSeconds } from "../platform/clock.ts";
import { deadlinePut } from "../platform/deadlines/deadline.ts";
import { environment } from "../platform/environment.ts";
import { log } from "../platform/log.ts";
import { maximumDelaySeconds, sendMessages } from "../platform/queue/send-messages.ts";
import { issuingKey, type Key, webhookKey } from "../platform/table/keys.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { putNew } from "../platform/table/write-item.ts";
import {
  type Delivery,
  getDeadLettersUrl,
  getOwnerId,
  nextDelayMs,
  putBack,
  toLogged,
  toNextAttempt,
} from "./delivery.ts";
import { disablingWrites, type EndpointState, isGivenUp } from "./endpoint-health.ts";
import { type Content, isDelivered, isGone, type Outcome } from "./send.ts";

export interface Attempt {
  readonly deliveryId: string;
  /** The webhook endpoint; absent for an alert. */
  readonly endpointId?: string | undefined;
  /** From 1. */
  readonly attempt: number;
  readonly delivered: boolean;
  readonly responseStatus?: number | undefined;
  readonly error?: DeliveryError | "EMAIL_REFUSED" | undefined;
  readonly latencyMs: number;
  readonly bodySha256: string;
  readonly createdAt: string;
  /** When the next one is due; absent after the last. */
  readonly nextAttemptAt?: string | undefined;
  /** It switched its endpoint off: nothing follows. */
  readonly disabled?: boolean | undefined;
}

export interface Subject {
  readonly content: Content;
  readonly bodySha256: string;
  /** After this the delivery is useless. */
  readonly until?: Date;
  /** The registered endpoint that it goes to. */
  readonly endpoint?: EndpointState;
}

/** Beside the notification or the alert's event, where copies of the message find it. */
export function attemptKey(delivery: Delivery): Key {
  const ordinal = String(delivery.attempt).padStart(4, "0");
  if (delivery.kind === "notification") {
    const { programId, messageId, endpointId, deliveryId } = delivery;
    return webhookKey.attempt(programId, messageId, `${deliveryId}#${endpointId}#${ordinal}`);
  }
  const { pk } = issuingKey.outbox(getOwnerId(delivery), delivery.deliveryId);
  return { pk, sk: `ATTEMPT#${ordinal}` };
}

/**
 * Records an attempt with the deadline of the next, or switches off an endpoint that is gone or has failed
 * for five days. If a copy of the message was faster, returns its record.
 */
export async function recordAttempt(
  delivery: Delivery,
  subject: Subject,
  outcome: Outcome,
): Promise<Attempt> {
  const at = now();
  const made: Attempt = {
    ...(delivery.kind === "notification" && { endpointId: delivery.endpointId }),
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    error: outcome.failure,
    latencyMs: outcome.latencyMs,
    bodySha256: subject.bodySha256,
    createdAt: timestamp(at),
  };
  const disabling = getDisabling(subject, outcome, at);
  if (disabling) {
    const last: Attempt = { ...made, disabled: true };
    const written = await transact([attemptPut(delivery, last, at), ...disabling]);
    if (written.committed) return last;
    const first = written.failedConditions.get("attempt");
    if (first) return first as unknown as Attempt;
    // The endpoint was deleted, changed or switched off meanwhile: an attempt like any other.
  }
  const isOver = isDelivered(outcome) || isGone(outcome);
  const delayMs = isOver ? undefined : nextDelayMs(delivery, at, subject.until);
  if (delayMs === undefined) return (await put(delivery, made, [], at)) ?? made;
  const next = new Date(at.getTime() + delayMs);
  const retried: Attempt = { ...made, nextAttemptAt: timestamp(next) };
  const deadline = isFarOff(delayMs) ? [retryDeadlinePut(toNextAttempt(delivery), next)] : [];
  return (await put(delivery, retried, deadline, at)) ?? retried;
}

function getDisabling({ endpoint }: Subject, outcome: Outcome, at: Date): WriteAction[] | undefined {
  if (!endpoint) return undefined;
  if (isGone(outcome)) return disablingWrites(endpoint, "GONE", at);
  if (isDelivered(outcome) || !isGivenUp(endpoint.health, at)) return undefined;
  return disablingWrites(endpoint, "FAILING", at);
}

function attemptPut(delivery: Delivery, made: Attempt, at: Date) {
  const expiresAtSeconds = unixSeconds(at) + notificationsKeptSeconds;
  const Item = { ...attemptKey(delivery), ...made, expiresAtSeconds };
  const ConditionExpression = "attribute_not_exists(pk)";
  return { name: "attempt", Put: { TableName: environment.issuingTable, Item, ConditionExpression } };
}

/** Returns the existing record of this attempt, if any. */
async function put(
  delivery: Delivery,
  made: Attempt,
  beside: readonly WriteAction[],
  at: Date,
): Promise<Attempt | undefined> {
  const write = attemptPut(delivery, made, at);
  if (beside.length > 0) {
    const written = await transact([write, ...beside]);
    if (written.committed) return undefined;
    const first = written.failedConditions.get("attempt");
    if (first) return first as unknown as Attempt;
    // The deadline exists already: a copy of the message has skipped this attempt.
  }
  const first = await putNew("attempt", environment.issuingTable, write.Put.Item);
  return first as unknown as Attempt | undefined;
}

/** Beyond the longest queue delay: then the wait is a deadline. */
export function isFarOff(delayMs: number): boolean {
  return delayMs > maximumDelaySeconds * 1000;
}

/** The deadline of an attempt. One for each, whichever copy of the message writes it. */
export function retryDeadlinePut(delivery: Delivery, dueAt: Date): WriteAction {
  const ids = delivery.kind === "notification" ? [delivery.messageId, delivery.endpointId] : [];
  return deadlinePut({
    ownerId: getOwnerId(delivery),
    // The event's id comes last: its characters spread deadlines evenly.
    deadlineId: ["retry", delivery.attempt, ...ids, delivery.deliveryId].join("|"),
    kind: "retry_delivery",
    delivery,
    dueAt,
    cause: delivery.cause,
  });
}

/**
 * Queues the next attempt, unless it has a deadline, or gives up. Runs for each copy of the message, so that
 * a crash loses nothing.
 */
export async function followUp(delivery: Delivery, subject: Subject, made: Attempt): Promise<void> {
  const { delivered, disabled, responseStatus: status, error: failure, createdAt, nextAttemptAt } = made;
  if (delivered || disabled || (subject.endpoint && isGone({ status, failure }))) return;
  // A useless delivery need not be sent by hand.
  if (nextAttemptAt === undefined) return giveUp(delivery, { status, failure }, subject.until === undefined);
  const dueMs = Date.parse(nextAttemptAt);
  if (isFarOff(dueMs - Date.parse(createdAt))) return;
  await putBack(toNextAttempt(delivery), Math.max(0, Math.ceil((dueMs - now().getTime()) / 1000)));
}

/** Moves a delivery without attempts left to the dead letters. A redriven one is tried once more. */
export async function giveUp(
  delivery: Delivery,
  outcome: Omit<Outcome, "latencyMs"> = {},
  isKept = true,
): Promise<void> {
  log.error("The delivery is given up.", { ...toLogged(delivery), ...outcome });
  if (isKept) await sendMessages(getDeadLettersUrl(delivery), [{ body: toNextAttempt(delivery) }]);
}
