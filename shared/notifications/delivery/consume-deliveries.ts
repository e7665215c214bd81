import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import DataLoader from "dataloader";
import { now, timestamp, unixSeconds } from "../../platform/clock.ts";
import { idTime, randomInteger } from "../../platform/id.ts";
import { correlate } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import { consumeTogether } from "../../platform/queue/consume-batch.ts";
import { maximumDelaySeconds } from "../../platform/queue/send-messages.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { above, absent, any, below } from "../../platform/table/condition.ts";
import type { ReadItem } from "../../platform/table/entity.ts";
import type { Key } from "../../platform/table/keys.ts";
import { type StoredItem, transact } from "../../platform/table/transact.ts";
import {
  exceedsQueueDelay,
  followUp,
  giveUp,
  isDelivered,
  locateAttempt,
  type Outcome,
  type PreparedDelivery,
  recordAttempt,
  retryDeadlinePut,
  SuccessRecords,
} from "./attempt.ts";
import {
  type Delivery,
  type DeliveryOf,
  nextDelayMs,
  parseDelivery,
  putBack,
  toLogged,
  toNextAttempt,
} from "./delivery.ts";
import {
  claimProbe,
  type EndpointHealth,
  type EndpointSlots,
  type EndpointState,
  endpointSlots,
  isFailing,
  isHealthy,
  isSuspect,
  isUnreachable,
  probeWaitMs,
  recordHealth,
  recordSlowness,
} from "./endpoint.ts";

/** Undefined if there is nothing to send. `readItem` shares one call for a batch of messages. */
type PrepareDelivery = (delivery: Delivery, readItem: ReadItem) => Promise<PreparedDelivery | undefined>;

/**
 * Attempts a batch concurrently: a slow receiver delays no other.
 * @param isForSlow whether the queue is the one for slow endpoints
 */
export function consumeDeliveries(
  event: SQSEvent,
  prepare: PrepareDelivery,
  isForSlow: (record: SQSRecord) => boolean = () => false,
): Promise<SQSBatchResponse> {
  const items = new DataLoader(readEach, { cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}` });
  const readItem: ReadItem = (key) => items.load(key);
  const successes = new SuccessRecords();
  return consumeTogether(event, async (record) => {
    const delivery = parseDelivery(record.body);
    correlate({ ...delivery.cause, eventId: delivery.deliveryId });
    // Both are read before anything is written.
    const [prepared, made] = await Promise.all([
      prepare(delivery, readItem),
      locateAttempt(delivery).get(readItem),
    ]);
    if (prepared === undefined) return;
    // A copy of the message already made this attempt.
    if (made) return followUp(delivery, prepared, made);
    const attempt = () => makeAttempt(delivery, prepared, successes);
    if (delivery.kind !== "notification" || !prepared.endpoint) return attempt();
    await sendInTurn(delivery, prepared.endpoint, isForSlow(record), attempt);
  });
}

async function readEach(keys: readonly Key[]): Promise<StoredItem[]> {
  const items = await readBatch(keys);
  return keys.map(({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk));
}

async function makeAttempt(
  delivery: Delivery,
  prepared: PreparedDelivery,
  successes: SuccessRecords,
): Promise<void> {
  const { endpoint } = prepared;
  const sending = prepared.send();
  if (endpoint) await recordSlowness(endpoint, sending);
  const outcome = await sending;
  logAttempt(delivery, outcome);
  const made = await recordAttempt(delivery, prepared, outcome, successes);
  if (endpoint) await recordHealth(endpoint, isDelivered(outcome), outcome.latencyMs);
  await followUp(delivery, prepared, made);
}

/** The lag from the event to the answer. After a retry or deferral, the receiver caused it. */
export function logAttempt(delivery: Delivery, outcome: Outcome): void {
  const { deliveryId, attempt, deferrals } = delivery;
  const { status, failure, latencyMs } = outcome;
  const lag = attempt === 1 && deferrals === 0 ? "DeliveryLag" : "RetriedDeliveryLag";
  logMeasured("Delivery attempted.", { ...toLogged(delivery), status, failure, latencyMs }, () => ({
    DeliveryAttempts: 1,
    DeliveryFailures: isDelivered(outcome) ? 0 : 1,
    ...(isDelivered(outcome) && { [lag]: now().getTime() - idTime(deliveryId).getTime() }),
  }));
}

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
const slotsKeptSeconds = 86_400;
/** More than the waits of 15 minutes until a failing endpoint is switched off: five days. */
const mostDeferrals = 2_000;

/**
 * A healthy endpoint gets everything at once. Others have their own queue and few concurrent sends;
 * a failing one gets one probe at a time, and the rest waits.
 */
async function sendInTurn(
  delivery: NotificationDelivery,
  endpoint: EndpointState,
  isInSlowQueue: boolean,
  attempt: () => Promise<void>,
): Promise<void> {
  const { health } = endpoint;
  if (probeWaitMs(health, now()) > 0) return skipAttempt(delivery, health);
  if (isHealthy(health)) return attempt();
  if (!isInSlowQueue) return putBack(delivery, 0);
  if (isFailing(health)) {
    const probe = await claimProbe(endpoint, delivery.messageId, now());
    return probe.claimed ? attempt() : skipAttempt(delivery, probe.health);
  }
  const isTaken = await takeSlot(endpoint, isSuspect(health) ? suspectSlots : newSlots);
  if (!isTaken) return defer(delivery, isSuspect(health) ? suspectDeferralSeconds : newDeferralSeconds);
  try {
    await attempt();
  } finally {
    await releaseSlot(endpoint);
  }
}

/**
 * Does not attempt while the endpoint is known to fail. In the first hour the message waits.
 * Then each probe counts as an attempt; the last attempt only if it was due before the probe.
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
  if (!exceedsQueueDelay(delayMs)) return putBack(next, Math.ceil(delayMs / 1000));
  // Fails if a copy of the message was faster.
  await transact([retryDeadlinePut(next, new Date(at.getTime() + delayMs))]);
}

/** Puts a message back without an attempt, each time for longer. */
function defer(delivery: NotificationDelivery, firstSeconds: number): Promise<void> {
  const longest = Math.min(firstSeconds * 2 ** delivery.deferrals, maximumDelaySeconds);
  return deferFor(delivery, randomInteger(Math.ceil(longest / 2), longest + 1));
}

function deferFor(delivery: NotificationDelivery, delaySeconds: number): Promise<void> {
  if (delivery.deferrals >= mostDeferrals) return giveUp(delivery);
  const deferred = { ...delivery, deferrals: delivery.deferrals + 1 };
  return putBack(deferred, Math.min(delaySeconds, maximumDelaySeconds));
}

/** Takes one of the slots that all workers share; false if all are taken. */
async function takeSlot({ programId, webhookId, slots }: EndpointState, count: number): Promise<boolean> {
  const at = now();
  if ((slots?.underWay ?? 0) >= count && !hasLeaseEnded(slots, at)) return false;
  const stored = endpointSlots.at(programId, webhookId);
  const lease = {
    leasedUntil: timestamp(new Date(at.getTime() + leaseMs)),
    expiresAtSeconds: unixSeconds(at) + slotsKeptSeconds,
  };
  const hasFreeSlot = any<EndpointSlots>({ underWay: absent }, { underWay: below(count) });
  const taken = await stored.updateNow({ set: lease, add: { underWay: 1 } }, hasFreeSlot);
  if (taken.updated) return true;
  if (!hasLeaseEnded(taken.stored, at)) return false;
  const hasEnded = { leasedUntil: below(timestamp(at)) };
  return (await stored.updateNow({ set: { ...lease, underWay: 1 } }, hasEnded)).updated;
}

function hasLeaseEnded(slots: EndpointSlots | undefined, at: Date): boolean {
  return slots?.leasedUntil !== undefined && slots.leasedUntil < timestamp(at);
}

/** Gives a slot back, unless it was freed meanwhile. */
async function releaseSlot({ programId, webhookId }: EndpointState): Promise<void> {
  await endpointSlots.at(programId, webhookId).updateNow({ add: { underWay: -1 } }, { underWay: above(0) });
}
