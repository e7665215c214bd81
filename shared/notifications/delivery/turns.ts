import { now, timestamp, unixSeconds } from "../../platform/clock.ts";
import { deadlineReplace, defineDeadline } from "../../platform/deadlines.ts";
import { environment } from "../../platform/environment.ts";
import { randomInteger } from "../../platform/id.ts";
import { maximumDelaySeconds } from "../../platform/queue/send-messages.ts";
import { above, absent, all, any, atMost, below, present } from "../../platform/table/condition.ts";
import { transact } from "../../platform/table/transact.ts";
import { exceedsQueueDelay, giveUp, retryDeadlinePut } from "./attempt.ts";
import { type DeliveryOf, nextDelayMs, putBack, toNextAttempt } from "./delivery.ts";
import {
  disabledAfterMs,
  type EndpointHealth,
  type EndpointSlots,
  type EndpointState,
  endpointHealth,
  endpointSlots,
  failingForMs,
  isFailing,
  isSuspect,
} from "./endpoint.ts";

type NotificationDelivery = DeliveryOf<"notification">;
type EndpointId = Pick<EndpointState, "programId" | "webhookId">;

/** Longer than a send may take, so that one probe is under way at a time. */
const shortestProbeMs = 15_000;
const longestProbeMs = 900_000;
/** After probing for this long, a failed probe counts as an attempt of every due delivery. */
const unreachableAfterMs = 3_600_000;

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
 * Endpoints that are not healthy have their own queue and few concurrent sends; a failing one gets
 * one probe at a time, and the rest waits.
 */
export async function sendInTurn(
  delivery: NotificationDelivery,
  endpoint: EndpointState,
  queueArn: string,
  attempt: () => Promise<void>,
): Promise<void> {
  const { health } = endpoint;
  if (probeWaitMs(health, now()) > 0) return skipAttempt(delivery, health);
  const queue = environment.slowEndpointQueueUrl.split("/").at(-1);
  if (!queueArn.endsWith(`:${queue}`)) return putBack(delivery, 0);
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
async function takeSlot({ programId, webhookId, readSlots }: EndpointState, count: number): Promise<boolean> {
  const slots = await readSlots();
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

/** How long until the next probe; 0 if it is due, or the endpoint does not fail. */
function probeWaitMs(health: EndpointHealth | undefined, at: Date): number {
  if (!isFailing(health) || health?.nextProbeAt === undefined) return 0;
  return Math.max(0, Date.parse(health.nextProbeAt) - at.getTime());
}

/** Whether a failed probe now counts as an attempt of every due delivery. */
function isUnreachable(health: EndpointHealth | undefined, at: Date): boolean {
  return isFailing(health) && failingForMs(health, at) >= unreachableAfterMs;
}

/**
 * Claims the next send to a failing endpoint, at growing intervals. If another sender was faster or
 * the endpoint recovered, returns its stored health.
 */
async function claimProbe(
  { programId, webhookId, health }: EndpointState,
  messageId: string,
  at: Date,
): Promise<{ readonly claimed: true } | { readonly claimed: false; readonly health?: EndpointHealth }> {
  const waitMs = Math.min(longestProbeMs, Math.max(shortestProbeMs, failingForMs(health, at) / 4));
  const nextProbeAt = timestamp(new Date(at.getTime() + waitMs));
  const outcome = await endpointHealth
    .at(programId, webhookId)
    .updateNow(
      { set: { nextProbeAt, probedWith: messageId } },
      all<EndpointHealth>(
        { failures: present },
        any<EndpointHealth>({ nextProbeAt: absent }, { nextProbeAt: atMost(timestamp(at)) }),
      ),
    );
  if (!outcome.updated) return { claimed: false, ...(outcome.stored && { health: outcome.stored }) };
  if (outcome.item.failingSince === undefined) await beginFailing({ programId, webhookId }, at);
  return { claimed: true };
}

const decision = defineDeadline("decide_endpoint", "normal");

/** Begins the five days and sets their deadline. Fails if the endpoint has recovered. */
async function beginFailing({ programId, webhookId }: EndpointId, at: Date): Promise<void> {
  const dueAt = new Date(at.getTime() + disabledAfterMs);
  const notYet = { failures: present, failingSince: absent };
  await transact([
    endpointHealth.at(programId, webhookId).update({ set: { failingSince: timestamp(at) } }, notYet),
    deadlineReplace(decision.at({ ownerId: programId, deadlineId: webhookId, dueAt })),
  ]);
}
