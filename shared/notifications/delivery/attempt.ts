import * as z from "zod";
import { notificationsKeptSeconds } from "../../contract/notifications.ts";
import { DeliveryError } from "../../contract/webhooks.ts";
import { now, timestamp, unixSeconds } from "../../platform/clock.ts";
import { deadlinePut } from "../../platform/deadlines.ts";
import { log } from "../../platform/log.ts";
import { outboxItems } from "../../platform/outbox/outbox-put.ts";
import { maximumDelaySeconds, sendMessages } from "../../platform/queue/send-messages.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { GatheredPuts } from "../../platform/table/gathered-puts.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import {
  type Delivery,
  getDeadLettersUrl,
  getGroupId,
  getOwnerId,
  nextDelayMs,
  putBack,
  retrying,
  toLogged,
  toNextAttempt,
} from "./delivery.ts";
import { disablingWrites, type EndpointState, isGivenUp } from "./endpoint.ts";

const Attempt = z.object({
  deliveryId: z.string(),
  /** The webhook endpoint; absent for an alert. */
  endpointId: z.string().optional(),
  /** From 1. */
  attempt: z.int(),
  delivered: z.boolean(),
  responseStatus: z.int().optional(),
  error: z.enum([...DeliveryError.options, "EMAIL_REFUSED"]).optional(),
  latencyMs: z.int(),
  bodySha256: z.string(),
  createdAt: z.string(),
  /** When the next one is due; absent after the last. */
  nextAttemptAt: z.string().optional(),
  /** It switched its endpoint off: nothing follows. */
  disabled: z.boolean().optional(),
  expiresAtSeconds: z.int(),
});
export type Attempt = Readonly<z.output<typeof Attempt>>;

const stored = { name: "attempt", schema: Attempt } as const;
export const attempts = defineEntity({
  ...stored,
  key: (programId: string, transIdSc: string, attemptId: string) => ({
    pk: `${programId}#NOTIFICATION#${transIdSc}`,
    sk: `ATTEMPT#${attemptId}`,
  }),
});
/** Beside the alert's event. */
const alertAttempts = defineEntity({
  ...stored,
  key: (ownerId: string, eventId: string, ordinal: string) => ({
    pk: outboxItems.key(ownerId, eventId).pk,
    sk: `ATTEMPT#${ordinal}`,
  }),
});

export interface PreparedDelivery {
  /** Sends once. Never rejects. */
  readonly send: () => Promise<Outcome>;
  readonly bodySha256: string;
  /** After this the delivery is useless. */
  readonly until?: Date;
  /** The registered endpoint that it goes to. */
  readonly endpoint?: EndpointState;
  /** Attempts it when it is its turn, or lets it wait. Absent: at once. */
  readonly inTurn?: (attempt: () => Promise<void>) => Promise<void>;
}

/** Stored beside the notification or the alert's event, where copies of the message find it. */
export function locateAttempt(delivery: Delivery) {
  const ordinal = String(delivery.attempt).padStart(4, "0");
  if (delivery.kind === "notification") {
    const { programId, messageId, endpointId, deliveryId } = delivery;
    return attempts.at(programId, messageId, `${deliveryId}#${endpointId}#${ordinal}`);
  }
  return alertAttempts.at(getOwnerId(delivery), delivery.deliveryId, ordinal);
}

/**
 * Records an attempt with the deadline of the next, or switches off an endpoint that is gone or has
 * failed for five days. If it failed and a copy of the message was faster, returns its record.
 */
export async function recordAttempt(
  delivery: Delivery,
  prepared: PreparedDelivery,
  outcome: Outcome,
  successes: GatheredPuts,
): Promise<Attempt> {
  const at = now();
  const record = locateAttempt(delivery);
  const made: Attempt = {
    ...(delivery.kind === "notification" && { endpointId: delivery.endpointId }),
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    error: outcome.failure,
    latencyMs: outcome.latencyMs,
    bodySha256: prepared.bodySha256,
    createdAt: timestamp(at),
    expiresAtSeconds: unixSeconds(at) + notificationsKeptSeconds,
  };
  if (made.delivered) {
    // Nothing follows a success: it may replace a copy's failure, which never replaces it.
    await successes.write(record.put(made).Put.Item);
    return made;
  }
  const disabling = getDisabling(prepared, outcome, at);
  const last = disabling && (await createWith(delivery, { ...made, disabled: true }, disabling));
  if (last) return last;
  // It may have been deleted, changed or switched off meanwhile: an attempt like any other.
  const delayMs = isGone(outcome) ? undefined : nextDelayMs(delivery, at, prepared.until);
  if (delayMs === undefined) return (await record.createNow(made)) ?? made;
  const next = new Date(at.getTime() + delayMs);
  const retried: Attempt = { ...made, nextAttemptAt: timestamp(next) };
  const deadline = exceedsQueueDelay(delayMs) && retryDeadlinePut(toNextAttempt(delivery), next);
  // Where the deadline exists already, a copy of the message has skipped this attempt.
  const kept = deadline && (await createWith(delivery, retried, [deadline]));
  return kept || ((await record.createNow(retried)) ?? retried);
}

function getDisabling({ endpoint }: PreparedDelivery, outcome: Outcome, at: Date): WriteAction[] | undefined {
  if (!endpoint) return undefined;
  if (isGone(outcome)) return disablingWrites(endpoint, "GONE", at);
  if (!isGivenUp(endpoint.health, at)) return undefined;
  return disablingWrites(endpoint, "FAILING", at);
}

/** The record of this attempt as it is then. Undefined if what comes with it cannot be written. */
async function createWith(delivery: Delivery, made: Attempt, others: readonly WriteAction[]) {
  const written = await transact([locateAttempt(delivery).create(made), ...others]);
  return written.committed ? made : attempts.parse(written.failedConditions.get("attempt"));
}

/** Longer than SQS can delay a message: the wait becomes a deadline. */
export function exceedsQueueDelay(delayMs: number): boolean {
  return delayMs > maximumDelaySeconds * 1000;
}

/** The deadline of an attempt. One for each, whichever copy of the message writes it. */
export function retryDeadlinePut(delivery: Delivery, dueAt: Date): WriteAction {
  const ids = delivery.kind === "notification" ? [delivery.messageId, delivery.endpointId] : [];
  // The event's id comes last: its characters spread deadlines evenly.
  const deadlineId = ["retry", delivery.attempt, ...ids, delivery.deliveryId].join("|");
  const { cause } = delivery;
  return deadlinePut(retrying.at({ ownerId: getOwnerId(delivery), deadlineId, dueAt, cause, delivery }));
}

/**
 * Queues the next attempt, unless it has a deadline, or gives up. Runs for each copy of the
 * message, so that a crash loses nothing.
 */
export async function followUp(delivery: Delivery, prepared: PreparedDelivery, made: Attempt): Promise<void> {
  const { delivered, disabled, responseStatus: status, error: failure, createdAt, nextAttemptAt } = made;
  if (delivered || disabled || (prepared.endpoint && isGone({ status, failure }))) return;
  // An expired delivery is not kept as a dead letter.
  if (nextAttemptAt === undefined) return giveUp(delivery, { status, failure }, prepared.until === undefined);
  const dueMs = Date.parse(nextAttemptAt);
  if (exceedsQueueDelay(dueMs - Date.parse(createdAt))) return;
  await putBack(toNextAttempt(delivery), Math.max(0, Math.ceil((dueMs - now().getTime()) / 1000)));
}

/** Moves a delivery to the dead letters. A redriven one gets one more attempt. */
export async function giveUp(
  delivery: Delivery,
  outcome: Omit<Outcome, "latencyMs"> = {},
  keepsDeadLetter = true,
): Promise<void> {
  log.error("The delivery is given up.", { ...toLogged(delivery), ...outcome });
  const message = { body: toNextAttempt(delivery), groupId: getGroupId(delivery) };
  if (keepsDeadLetter) await sendMessages(getDeadLettersUrl(delivery), [message]);
}

/** The status of a whole answer, or why there was none. An email that is accepted counts as 200. */
export interface Outcome {
  readonly status?: number;
  readonly failure?: DeliveryError | "EMAIL_REFUSED";
  readonly latencyMs: number;
}

/** Any 2xx, to its end. */
export function isDelivered({ failure, status }: Outcome): boolean {
  return failure === undefined && status !== undefined && status >= 200 && status < 300;
}

/** Whether the receiver answered 410: it wants no more, ever. */
export function isGone({ failure, status }: Omit<Outcome, "latencyMs">): boolean {
  return failure === undefined && status === 410;
}
