import type { EventType } from "../contract/notifications.ts";
import { type Key, shardOf } from "./keys.ts";

/** Keys of the `issuing` table for what is sent out. Each has its Program inside, like all of that table. */
export const webhookKey = {
  notification: (programId: string, transIdSc: string): Key => ({
    pk: `${programId}#NOTIFICATION#${transIdSc}`,
    sk: "NOTIFICATION",
  }),
  /** An attempt stands with the notification that it sent; alerts' attempts stand beside their events (shared/alert/alert-retry.ts). */
  attempt: (programId: string, transIdSc: string, attemptId: string): Key => ({
    pk: `${programId}#NOTIFICATION#${transIdSc}`,
    sk: `ATTEMPT#${attemptId}`,
  }),
  /** A Program's endpoints stand in one partition, so that one query finds them all with their health. */
  endpoint: (programId: string, webhookId: string): Key => ({
    pk: `${programId}#WEBHOOKS`,
    sk: `ENDPOINT#${webhookId}`,
  }),
  health: (programId: string, webhookId: string): Key => ({
    pk: `${programId}#WEBHOOKS`,
    sk: `HEALTH#${webhookId}`,
  }),
  /** How many sends are under way to an endpoint on the detour. */
  places: (programId: string, endpointId: string): Key => ({
    pk: `${programId}#PLACES#${endpointId}`,
    sk: "PLACES",
  }),
  endpointCount: (programId: string): Key => ({ pk: `${programId}#WEBHOOKS`, sk: "COUNTER" }),
} as const;

/** A Program's notifications of one kind are written too often for one partition of the index. */
export const notificationShardCount = 8;

export const notificationShardKey = (programId: string, eventType: EventType, shard: number): string =>
  `${programId}#notifications#${eventType}#${shard}`;

export const notificationShardOf = (programId: string, eventType: EventType, transIdSc: string): string =>
  notificationShardKey(programId, eventType, shardOf(transIdSc, notificationShardCount));
