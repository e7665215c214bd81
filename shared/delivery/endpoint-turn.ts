import { now, timestamp } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { randomInteger } from "../platform/id.ts";
import { maximumDelaySeconds } from "../platform/queue/send-messages.ts";
import { webhookKey } from "../platform/table/keys.ts";
import { transact } from "../platform/table/transact.ts";
import { updateItem } from "../platform/table/write-item.ts";
import { giveUp, isFarOff, retryDeadlinePut } from "./attempt.ts";
import { type DeliveryOf, nextDelayMs, putBack, toNextAttempt } from "./delivery.ts";
import {
  claimProbe,
  type EndpointHealth,
  type EndpointSlots,
  type EndpointState,
  isFailing,
  isHealthy,
  isSuspect,
  isUnreachable,
  probeWaitMs,
} from "./endpoint-health.ts";

type NotificationDelivery = DeliveryOf<"notification">;

/** Seconds of the first wait: short for a new endpoint, long for one that may be dead. */
const newDeferralSeconds = 2;
const suspectDeferralSeconds = 15;
/** So that deliveries that waited for a probe do not all come back at once. */
const spreadSeconds = 60;
/** Concurrent sends to an unhealthy endpoint; one if it may be dead. */
const newSlots = 4;
const suspectSlots = 1;
/** Longer than any attempt: frees the slots of killed senders. */
const leaseMs = 20_000;

/**
 * Attempts if it is the endpoint's turn. A healthy endpoint gets everything at once. Others have their own
 * queue and few concurrent sends; a failing one gets one probe at a time, and everything else waits.
 */
export async function sendInTurn(
  delivery: NotificationDelivery,
  endpoint: EndpointState,
  isInSlowQueue: boolean,
  makeAttempt: () => Promise<void>,
): Promise<void> {
  const { health } = endpoint;
  if (probeWaitMs(health, now()) > 0) return skipAttempt(delivery, health);
  if (isHealthy(health)) return makeAttempt();
  if (!isInSlowQueue) return putBack(delivery, 0);
  if (isFailing(health)) {
    const probe = await claimProbe(endpoint, delivery.messageId, now());
    return probe.claimed ? makeAttempt() : skipAttempt(delivery, probe.health);
  }
  const isTaken = await takeSlot(endpoint, isSuspect(health) ? suspectSlots : newSlots);
  if (!isTaken) return defer(delivery, isSuspect(health) ? suspectDeferralSeconds : newDeferralSeconds);
  try {
    await makeAttempt();
  } finally {
    await releaseSlot(endpoint);
  }
}

/**
 * Makes no attempt, since the endpoint is known to fail. In the first hour of probing the message waits. Later each
 * probe counts as its attempt, the last one only if the probe came after it was due.
 */
async function skipAttempt(
  delivery: NotificationDelivery,
  health: EndpointHealth | undefined,
): Promise<void> {
  const at = now();
  if (!isUnreachable(health, at)) return defer(delivery, suspectDeferralSeconds);
  const delayMs = nextDelayMs(delivery, at);
  if (delayMs === undefined) {
    if (delivery.deferrals > 0) return giveUp(delivery);
    return deferFor(delivery, Math.ceil(probeWaitMs(health, at) / 1000) + randomInteger(1, spreadSeconds));
  }
  const next = toNextAttempt(delivery);
  if (!isFarOff(delayMs)) return putBack(next, Math.ceil(delayMs / 1000));
  // Fails if a copy of the message was quicker.
  await transact([retryDeadlinePut(next, new Date(at.getTime() + delayMs))]);
}

/** Puts a message back without an attempt, each time for longer. */
function defer(delivery: NotificationDelivery, firstSeconds: number): Promise<void> {
  const longest = Math.min(firstSeconds * 2 ** delivery.deferrals, maximumDelaySeconds);
  return deferFor(delivery, randomInteger(Math.ceil(longest / 2), longest + 1));
}

function deferFor(delivery: NotificationDelivery, delaySeconds: number): Promise<void> {
  const deferred = { ...delivery, deferrals: delivery.deferrals + 1 };
  return putBack(deferred, Math.min(delaySeconds, maximumDelaySeconds));
}

/** Takes one of the slots that all workers share; false if all are taken. */
async function takeSlot({ programId, webhookId, slots }: EndpointState, count: number): Promise<boolean> {
  if (!hasSlot(slots, count)) return false;
  const at = now();
  const values = { ":until": timestamp(new Date(at.getTime() + leaseMs)), ":one": 1 };
  const item = { TableName: environment.issuingTable, Key: webhookKey.slots(programId, webhookId) };
  const taken = await updateItem("slots", {
    ...item,
    UpdateExpression: "SET leasedUntil = :until ADD underWay :one",
    ConditionExpression: "attribute_not_exists(underWay) OR underWay < :count",
    ExpressionAttributeValues: { ...values, ":count": count },
  });
  if (taken.updated) return true;
  if (String(taken.stored?.leasedUntil) >= timestamp(at)) return false;
  const freed = await updateItem("slots", {
    ...item,
    UpdateExpression: "SET leasedUntil = :until, underWay = :one",
    ConditionExpression: "leasedUntil < :now",
    ExpressionAttributeValues: { ...values, ":now": timestamp(at) },
  });
  return freed.updated;
}

function hasSlot(known: EndpointSlots | undefined, count: number): boolean {
  return (known?.underWay ?? 0) < count || String(known?.leasedUntil) < timestamp();
}

/** Gives a slot back, unless it was freed meanwhile. */
async function releaseSlot({ programId, webhookId }: EndpointState): Promise<void> {
  await updateItem("slots", {
    TableName: environment.issuingTable,
    Key: webhookKey.slots(programId, webhookId),
    UpdateExpression: "ADD underWay :less",
    ConditionExpression: "underWay > :none",
    ExpressionAttributeValues: { ":less": -1, ":none": 0 },
  });
}
