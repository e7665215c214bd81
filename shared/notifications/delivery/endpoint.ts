import * as z from "zod";
import { WebhookDisabledReason } from "../../contract/alerts.ts";
import { EventType } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { inTime, now, timestamp } from "../../platform/clock.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { type Change, exists } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { readAllItems, toPartitionQuery } from "../../platform/table/query.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";

export const Endpoint = z.object({
  programId: z.string(),
  webhookId: z.string(),
  url: z.string(),
  eventTypes: z.array(integerEnum(EventType)),
  /** Whether it gets what the Program moves itself. */
  includeTransfers: z.boolean(),
  active: z.boolean(),
  /** Why and when the platform switched it off; absent if its owner did. */
  disabledReason: WebhookDisabledReason.optional(),
  disabledAt: z.string().optional(),
  /** Signs callbacks. */
  secret: z.string(),
  /** The one before the last rotation signs as well, until its time. */
  previousSecret: z.string().optional(),
  previousSecretExpiresAt: z.string().optional(),
  createdAt: z.string(),
});
export type Endpoint = Readonly<z.output<typeof Endpoint>>;

export const endpoints = defineEntity({
  name: "endpoint",
  schema: Endpoint,
  key: (programId: string, webhookId: string) => ({
    pk: `${programId}#WEBHOOKS`,
    sk: `ENDPOINT#${webhookId}`,
  }),
});

/** Written only on a change: a healthy endpoint costs no writes. */
const EndpointHealth = z.object({
  /** When it last began to answer with success; absent for one that never has. */
  provenAt: z.string().optional(),
  /** Attempts that failed since the last success, counted until it is failing. */
  failures: z.int().optional(),
  /** When the first probe since the last success was sent. */
  failingSince: z.string().optional(),
  /** While it fails: nothing is sent before. */
  nextProbeAt: z.string().optional(),
  /** The notification that the last probe sent. */
  probedWith: z.string().optional(),
  /** Since when its answers are slow. */
  slowSince: z.string().optional(),
});
export type EndpointHealth = Readonly<z.output<typeof EndpointHealth>>;

export const endpointHealth = defineEntity({
  name: "health",
  schema: EndpointHealth,
  key: (programId: string, webhookId: string) => ({ pk: `${programId}#WEBHOOKS`, sk: `HEALTH#${webhookId}` }),
});

/** Concurrent sends to an endpoint that is not healthy, as last counted. */
const EndpointSlots = z.object({
  underWay: z.int().optional(),
  leasedUntil: z.string().optional(),
  /** Long after the lease: the endpoint may be deleted. */
  expiresAtSeconds: z.int().optional(),
});
export type EndpointSlots = Readonly<z.output<typeof EndpointSlots>>;

export const endpointSlots = defineEntity({
  name: "slots",
  schema: EndpointSlots,
  key: (programId: string, endpointId: string) => ({ pk: `${programId}#SLOTS#${endpointId}`, sk: "SLOTS" }),
});

export interface EndpointState {
  readonly programId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly health: EndpointHealth | undefined;
  readonly readSlots: () => Promise<EndpointSlots | undefined>;
}

/** Reads them in order of creation, with their health, by one query. */
export async function readEndpoints(
  programId: string,
): Promise<readonly { endpoint: Endpoint; health: EndpointHealth | undefined }[]> {
  const { pk, sk: prefix } = endpoints.key(programId, "");
  const stored = await readAllItems(toPartitionQuery(pk));
  return stored
    .filter(({ sk }) => String(sk).startsWith(prefix))
    .map((item) => {
      const endpoint = endpoints.parse(item);
      const { sk } = endpointHealth.key(programId, endpoint.webhookId);
      return { endpoint, health: endpointHealth.parse(stored.find((other) => other.sk === sk)) };
    });
}

/** A slower answer makes its endpoint slow. */
const slowAfterMs = 1_500;
const failingAfter = 3;
/** The next probe that fails after this long switches the endpoint off. */
export const disabledAfterMs = 5 * 24 * 3_600_000;

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

/** Whether one more failure switches it off. */
export function isGivenUp(health: EndpointHealth | undefined, at: Date): boolean {
  return isFailing(health) && failingForMs(health, at) >= disabledAfterMs;
}

export function failingForMs(health: EndpointHealth | undefined, at: Date): number {
  return health?.failingSince === undefined ? 0 : at.getTime() - Date.parse(health.failingSince);
}

/** Writes nothing for an endpoint that was deleted meanwhile: its health would stay for good. */
async function changeHealth({ programId, webhookId, health }: EndpointState, change: Change<EndpointHealth>) {
  const stored = endpointHealth.at(programId, webhookId);
  if (health) await stored.updateNow(change, exists);
  else await transact([endpoints.at(programId, webhookId).check(exists), stored.update(change)]);
}

/** Marks an endpoint as slow during a slow send, so that no more senders wait for it. */
export async function recordSlowness(endpoint: EndpointState, sending: Promise<object>): Promise<void> {
  if (endpoint.health?.slowSince !== undefined) return;
  if (!(await inTime(slowAfterMs, sending)))
    await changeHealth(endpoint, { set: { slowSince: timestamp() } });
}

/** Records a change of the endpoint's health after an attempt. */
export async function recordHealth(
  endpoint: EndpointState,
  delivered: boolean,
  latencyMs: number,
): Promise<void> {
  const { health } = endpoint;
  if (!delivered) {
    if (!isFailing(health)) await changeHealth(endpoint, { add: { failures: 1 } });
    return;
  }
  const isSlow = latencyMs > slowAfterMs;
  if (health?.provenAt !== undefined && !health.failures && (isSlow || health.slowSince === undefined))
    return;
  const failing = ["failures", "failingSince", "nextProbeAt", "probedWith"] as const;
  const remove = isSlow ? failing : ([...failing, "slowSince"] as const);
  await changeHealth(endpoint, { set: { provenAt: timestamp(now()) }, remove });
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
  const stillFailing = endpointHealth
    .at(programId, webhookId)
    .update({ add: { failures: 1 } }, { failingSince: health?.failingSince });
  return [
    endpoints
      .at(programId, webhookId)
      .update({ set: { active: false, disabledReason: reason, disabledAt } }, { active: true, url }),
    ...(reason === "FAILING" ? [stillFailing] : []),
    outboxPut(programId, "webhook.disabled", { webhookId, url, reason, disabledAt }, at),
  ];
}
