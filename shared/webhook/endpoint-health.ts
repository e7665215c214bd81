import { timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { updateItem } from "../table/update-item.ts";
import { webhookKey } from "../table/webhook-keys.ts";

/** How an endpoint has answered of late. Written when that changes, so that a healthy one costs no writes. */
export interface EndpointHealth {
  /** When it last began to answer with success; absent for one that never has. */
  readonly provenAt?: string;
  /** Attempts that failed since the last success. */
  readonly failures?: number;
  /** Since when it lets senders wait. */
  readonly slowSince?: string;
}

/** An answer that takes longer lets its sender wait. */
export const slowAfterMs = 1_500;

const failingAfter = 3;

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
  await update(programId, webhookId, `SET provenAt = :at REMOVE failures${isSlow ? "" : ", slowSince"}`, at);
}

/** An attempt has failed. */
export function recordFailure(programId: string, webhookId: string): Promise<void> {
  return update(programId, webhookId, "ADD failures :one");
}

/** The endpoint lets a sender wait: told while it does, so that no more senders come to wait. */
export function recordSlowness(programId: string, webhookId: string, at: Date): Promise<void> {
  return update(programId, webhookId, "SET slowSince = :at", at);
}

async function update(programId: string, webhookId: string, expression: string, at?: Date): Promise<void> {
  await updateItem("health", {
    TableName: environment.issuingTable,
    Key: webhookKey.health(programId, webhookId),
    UpdateExpression: expression,
    ExpressionAttributeValues: at ? { ":at": timestamp(at) } : { ":one": 1 },
  });
}
