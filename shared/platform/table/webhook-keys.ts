import type { Key } from "./keys.ts";

/** Keys of the `issuing` table for what is sent out. Each has its Program inside, like all of that table. */
export const webhookKey = {
  notification: (programId: string, transIdSc: string): Key => ({
    pk: `${programId}#NOTIFICATION#${transIdSc}`,
    sk: "NOTIFICATION",
  }),
  /** An attempt stands with the notification that it sent; an alert's stands beside its event (shared/delivery/attempt.ts). */
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
  /** How many sends are under way to an endpoint that is not healthy. */
  slots: (programId: string, endpointId: string): Key => ({
    pk: `${programId}#PLACES#${endpointId}`,
    sk: "PLACES",
  }),
  replay: (programId: string, replayId: string): Key => ({
    pk: `${programId}#REPLAY#${replayId}`,
    sk: "REPLAY",
  }),
  currentReplay: (programId: string): Key => ({ pk: `${programId}#WEBHOOKS`, sk: "REPLAY" }),
  endpointCount: (programId: string): Key => ({ pk: `${programId}#WEBHOOKS`, sk: "COUNTER" }),
} as const;
