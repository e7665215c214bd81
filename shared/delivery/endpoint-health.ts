import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../platform/clock.ts";
import { deadlineReplace } from "../platform/deadlines/deadline.ts";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { updateItem } from "../platform/table/update-item.ts";
import { webhookKey } from "../platform/table/webhook-keys.ts";

/** How an endpoint has answered of late. Written when that changes, so that a healthy one costs no writes. */
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
  /** Since when it lets senders wait. */
  readonly slowSince?: string;
}

/** An answer that takes longer lets its sender wait. */
export const slowAfterMs = 1_500;

const failingAfter = 3;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Longer than a send may take, so that one probe is under way at a time. */
const shortestProbeMs = 15_000;
const longestProbeMs = 15 * minuteMs;
/** So long after the first probe, a failed probe counts as an attempt of every delivery that is due. */
const unreachableAfterMs = hourMs;
/** So long after the first probe, the next failed probe switches the endpoint off. */
const disabledAfterMs = 5 * 24 * hourMs;

/**
 * Whether deliveries to the endpoint may go with everyone else's. One that has never answered, fails, or lets senders wait goes its own way, so that
 * it delays nobody but itself.
 */
export function isHealthy(health: EndpointHealth | undefined): boolean {
  return health?.provenAt !== undefined && !isFailing(health) && health.slowSince === undefined;
}

export function isFailing(health: EndpointHealth | undefined): boolean {
  return (health?.failures ?? 0) >= failingAfter;
}

/** Whether the endpoint may well be dead: it fails, or has let its first senders wait. One send at a time finds out. */
export function isSuspect(health: EndpointHealth | undefined): boolean {
  return isFailing(health) || (health?.slowSince !== undefined && health.provenAt === undefined);
}

/** For how long nothing is sent to the endpoint, since its last probe failed; 0 where the next probe is due, or it does not fail. */
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

interface Probe {
  readonly programId: string;
  readonly webhookId: string;
  /** The notification that it sends. */
  readonly transIdSc: string;
}

/**
 * Claims the next send to a failing endpoint: the longer it has failed, the longer until the one after. If another
 * sender was quicker or the endpoint has recovered, answers its stored health.
 */
export async function claimProbe(
  { programId, webhookId, transIdSc }: Probe,
  health: EndpointHealth | undefined,
  at: Date,
): Promise<{ readonly claimed: true } | { readonly claimed: false; readonly health?: EndpointHealth }> {
  const waitMs = Math.min(longestProbeMs, Math.max(shortestProbeMs, failingForMs(health, at) / 4));
  const outcome = await updateItem("health", {
    TableName: environment.issuingTable,
    Key: webhookKey.health(programId, webhookId),
    UpdateExpression: "SET nextProbeAt = :next, probedWith = :sent",
    ConditionExpression:
      "attribute_exists(failures) AND (attribute_not_exists(nextProbeAt) OR nextProbeAt <= :at)",
    ExpressionAttributeValues: {
      ":next": timestamp(new Date(at.getTime() + waitMs)),
      ":sent": transIdSc,
      ":at": timestamp(at),
    },
  });
  if (!outcome.updated) return { claimed: false, health: outcome.stored as EndpointHealth | undefined };
  if (outcome.item.failingSince === undefined) await beginFailing(programId, webhookId, at);
  return { claimed: true };
}

/** The five days begin, and with them the deadline at their end. Refused where the endpoint has recovered meanwhile. */
async function beginFailing(programId: string, webhookId: string, at: Date): Promise<void> {
  const dueAt = new Date(at.getTime() + disabledAfterMs);
  await transact([
    {
      name: "health",
      Update: {
        TableName: environment.issuingTable,
        Key: webhookKey.health(programId, webhookId),
        UpdateExpression: "SET failingSince = :at",
        ConditionExpression: "attribute_exists(failures) AND attribute_not_exists(failingSince)",
        ExpressionAttributeValues: { ":at": timestamp(at) },
      },
    },
    deadlineReplace({ ownerId: programId, deadlineId: webhookId, kind: "decide_endpoint", dueAt }),
  ]);
}

/** The endpoint has answered with success. */
export async function recordSuccess(
  programId: string,
  webhookId: string,
  known: EndpointHealth | undefined,
  latencyMs: number,
  at: Date,
): Promise<void> {
  const isSlow = latencyMs > slowAfterMs;
  if (known?.provenAt !== undefined && !known.failures && (isSlow || known.slowSince === undefined)) return;
  const removed = [
    "failures",
    "failingSince",
    "nextProbeAt",
    "probedWith",
    ...(isSlow ? [] : ["slowSince"]),
  ].join(", ");
  await update(programId, webhookId, `SET provenAt = :at REMOVE ${removed}`, { ":at": timestamp(at) });
}

/** An attempt has failed. */
export function recordFailure(programId: string, webhookId: string): Promise<void> {
  return update(programId, webhookId, "ADD failures :one", { ":one": 1 });
}

/** The endpoint lets a sender wait: told while it does, so that no more senders come to wait. */
export function recordSlowness(programId: string, webhookId: string, at: Date): Promise<void> {
  return update(programId, webhookId, "SET slowSince = :at", { ":at": timestamp(at) });
}

/** Part of what switches an endpoint off: requires that it has failed since then, and was not changed or switched on again meanwhile. */
export function failuresUnchanged(
  programId: string,
  webhookId: string,
  { failingSince }: EndpointHealth,
): WriteAction {
  return {
    name: "health",
    Update: {
      TableName: environment.issuingTable,
      Key: webhookKey.health(programId, webhookId),
      UpdateExpression: "ADD failures :one",
      ConditionExpression: "failingSince = :since",
      ExpressionAttributeValues: { ":one": 1, ":since": failingSince },
    },
  };
}

/** Forgets how an endpoint has answered: its receiver is another one, or is said to be well again. */
export async function forgetHealth(programId: string, webhookId: string): Promise<void> {
  const Key = webhookKey.health(programId, webhookId);
  await table.send(new DeleteCommand({ TableName: environment.issuingTable, Key }));
}

async function update(
  programId: string,
  webhookId: string,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, string | number>,
): Promise<void> {
  await updateItem("health", {
    TableName: environment.issuingTable,
    Key: webhookKey.health(programId, webhookId),
    UpdateExpression,
    ExpressionAttributeValues,
  });
}
