import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { WebhookDisabledReason } from "../contract/alerts.ts";
import { now, pause, timestamp } from "../platform/clock.ts";
import { deadlineReplace } from "../platform/deadlines/deadline.ts";
import { environment } from "../platform/environment.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { table } from "../platform/table/client.ts";
import { webhookKey } from "../platform/table/keys.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { updateItem } from "../platform/table/write-item.ts";

/** Written only on a change: a healthy endpoint costs no writes. */
export interface EndpointHealth {
  /** When it last began to answer with success; absent for one that never has. */
  readonly provenAt?: string;
  /** Attempts that failed since the last success, counted until it is failing. */
  readonly failures?: number;
  /** When the first probe since the last success was sent. */
  readonly failingSince?: string;
  /** While it fails: nothing is sent before. */
  readonly nextProbeAt?: string;
  /** The notification that the last probe sent. */
  readonly probedWith?: string;
  /** Since when its answers are slow. */
  readonly slowSince?: string;
}

/** Sends under way to an endpoint that is not healthy, as last counted. */
export interface EndpointSlots {
  readonly underWay?: number;
  readonly leasedUntil?: string;
}

export interface EndpointState {
  readonly programId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly health: EndpointHealth | undefined;
  readonly slots: EndpointSlots | undefined;
}
type EndpointId = Pick<EndpointState, "programId" | "webhookId">;

/** A slower answer makes its endpoint slow. */
const slowAfterMs = 1_500;
const failingAfter = 3;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Longer than a send may take, so that one probe is under way at a time. */
const shortestProbeMs = 15_000;
const longestProbeMs = 15 * minuteMs;
/** After probing for this long, a failed probe counts as an attempt of every due delivery. */
const unreachableAfterMs = hourMs;
/** After probing for this long, the next failed probe switches the endpoint off. */
const disabledAfterMs = 5 * 24 * hourMs;

/** Served from the common queue: it has answered, is not failing and is not slow. */
export function isHealthy(health: EndpointHealth | undefined): boolean {
  return health?.provenAt !== undefined && !isFailing(health) && health.slowSince === undefined;
}

export function isFailing(health: EndpointHealth | undefined): boolean {
  return (health?.failures ?? 0) >= failingAfter;
}

/** May be dead: it is failing, or was slow for its first senders. */
export function isSuspect(health: EndpointHealth | undefined): boolean {
  return isFailing(health) || (health?.slowSince !== undefined && health.provenAt === undefined);
}

/** How long until the next probe; 0 if it is due, or the endpoint does not fail. */
export function probeWaitMs(health: EndpointHealth | undefined, at: Date): number {
  if (!isFailing(health) || health?.nextProbeAt === undefined) return 0;
  return Math.max(0, Date.parse(health.nextProbeAt) - at.getTime());
}

/** Whether it has failed for so long that a probe decides for all. */
export function isUnreachable(health: EndpointHealth | undefined, at: Date): boolean {
  return isFailing(health) && failingForMs(health, at) >= unreachableAfterMs;
}

/** Whether one more failure switches it off. */
export function isGivenUp(health: EndpointHealth | undefined, at: Date): boolean {
  return isFailing(health) && failingForMs(health, at) >= disabledAfterMs;
}

function failingForMs(health: EndpointHealth | undefined, at: Date): number {
  return health?.failingSince === undefined ? 0 : at.getTime() - Date.parse(health.failingSince);
}

/**
 * Claims the next send to a failing endpoint, at growing intervals. If another sender was faster or the
 * endpoint recovered, returns its stored health.
 */
export async function claimProbe(
  { health, ...endpoint }: EndpointState,
  messageId: string,
  at: Date,
): Promise<{ readonly claimed: true } | { readonly claimed: false; readonly health?: EndpointHealth }> {
  const waitMs = Math.min(longestProbeMs, Math.max(shortestProbeMs, failingForMs(health, at) / 4));
  const outcome = await updateItem("health", {
    ...healthItem(endpoint),
    UpdateExpression: "SET nextProbeAt = :next, probedWith = :sent",
    ConditionExpression:
      "attribute_exists(failures) AND (attribute_not_exists(nextProbeAt) OR nextProbeAt <= :at)",
    ExpressionAttributeValues: {
      ":next": timestamp(new Date(at.getTime() + waitMs)),
      ":sent": messageId,
      ":at": timestamp(at),
    },
  });
  if (!outcome.updated) return { claimed: false, health: outcome.stored as EndpointHealth | undefined };
  if (outcome.item.failingSince === undefined) await beginFailing(endpoint, at);
  return { claimed: true };
}

/** Begins the five days, with the deadline at their end. Fails if the endpoint has recovered meanwhile. */
async function beginFailing(endpoint: EndpointId, at: Date): Promise<void> {
  await transact([
    {
      name: "health",
      Update: {
        ...healthItem(endpoint),
        UpdateExpression: "SET failingSince = :at",
        ConditionExpression: "attribute_exists(failures) AND attribute_not_exists(failingSince)",
        ExpressionAttributeValues: { ":at": timestamp(at) },
      },
    },
    deadlineReplace({
      ownerId: endpoint.programId,
      deadlineId: endpoint.webhookId,
      kind: "decide_endpoint",
      dueAt: new Date(at.getTime() + disabledAfterMs),
    }),
  ]);
}

/** Marks an endpoint as slow during a slow send, so that no more senders wait for it. */
export async function recordSlowness(endpoint: EndpointState, sending: Promise<object>): Promise<void> {
  if (endpoint.health?.slowSince !== undefined) return;
  const answered = await Promise.race([sending, pause(slowAfterMs).then(() => undefined)]);
  if (answered) return;
  await update(endpoint, "SET slowSince = :at", { ":at": timestamp() });
}

/** Records a change of the endpoint's health after an attempt. */
export async function recordHealth(
  endpoint: EndpointState,
  delivered: boolean,
  latencyMs: number,
): Promise<void> {
  const { health } = endpoint;
  if (!delivered) {
    if (!isFailing(health)) await update(endpoint, "ADD failures :one", { ":one": 1 });
    return;
  }
  const isSlow = latencyMs > slowAfterMs;
  if (health?.provenAt !== undefined && !health.failures && (isSlow || health.slowSince === undefined))
    return;
  const removed = `failures, failingSince, nextProbeAt, probedWith${isSlow ? "" : ", slowSince"}`;
  await update(endpoint, `SET provenAt = :at REMOVE ${removed}`, { ":at": timestamp(now()) });
}

/** Resets the health: the receiver is new, or declared well. */
export async function forgetHealth(programId: string, webhookId: string): Promise<void> {
  await table.send(new DeleteCommand(healthItem({ programId, webhookId })));
}

/**
 * Switches an endpoint off and alerts its Tenant, once. Fails if the endpoint was deleted, changed
 * or switched off meanwhile, or has recovered from failing.
 */
export function disablingWrites(
  { programId, webhookId, url, health }: EndpointState,
  reason: WebhookDisabledReason,
  at: Date,
): WriteAction[] {
  const disabledAt = timestamp(at);
  const stillFailing: WriteAction = {
    name: "health",
    Update: {
      ...healthItem({ programId, webhookId }),
      UpdateExpression: "ADD failures :one",
      ConditionExpression: "failingSince = :since",
      ExpressionAttributeValues: { ":one": 1, ":since": health?.failingSince },
    },
  };
  return [
    {
      name: "endpoint",
      Update: {
        TableName: environment.issuingTable,
        Key: webhookKey.endpoint(programId, webhookId),
        UpdateExpression: "SET active = :off, disabledReason = :reason, disabledAt = :at",
        ConditionExpression: "active = :on AND #url = :url",
        ExpressionAttributeNames: { "#url": "url" },
        ExpressionAttributeValues: {
          ":off": false,
          ":on": true,
          ":reason": reason,
          ":at": disabledAt,
          ":url": url,
        },
      },
    },
    ...(reason === "FAILING" ? [stillFailing] : []),
    outboxPut(programId, "webhook.disabled", { webhookId, url, reason, disabledAt }, at),
  ];
}

async function update(
  endpoint: EndpointId,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, string | number>,
): Promise<void> {
  await updateItem("health", { ...healthItem(endpoint), UpdateExpression, ExpressionAttributeValues });
}

function healthItem({ programId, webhookId }: EndpointId) {
  return { TableName: environment.issuingTable, Key: webhookKey.health(programId, webhookId) };
}
