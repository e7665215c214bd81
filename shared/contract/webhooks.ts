import * as z from "zod";
import { WebhookDisabledReason } from "./alerts.ts";
import { EventType } from "./enums.ts";
import { id, integerEnum, listQuery, queryEnum, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

export const ReplayView = z.object({
  replayId: id("replay"),
  /** A Program has one running replay. A replay without progress for an hour counts as done, even if `sent` is below `total`. */
  status: z.enum(["running", "done"]),
  since: timestamp,
  total: z.int(),
  /** Notifications on their way to their endpoints. */
  sent: z.int(),
});
export type ReplayView = z.output<typeof ReplayView>;

/** Names the only endpoint to send to. */
export const onlyEndpoint = { webhookId: text(64).optional() };

const route = routesOf({ api: "platform", function: "webhooks" });

export const replayRoutes = [
  route(
    "POST /webhooks/events/redeliver",
    "Redeliver all notifications since a time, to one endpoint or to all that subscribe to them",
    {
      body: z.object({ since: timestamp, ...onlyEndpoint }),
      data: ReplayView,
      errors: ["NOT_FOUND", "REPLAY_IN_PROGRESS"],
    },
  ),
  route("GET /webhooks/replays/{replayId}", "View a replay's progress", { data: ReplayView }),
] as const;

export const maximumWebhooks = 5;

const eventTypes = z
  .array(integerEnum(EventType))
  .min(1)
  .refine((types) => new Set(types).size === types.length, "must not name a type twice");

export const WebhookCreate = z.object({
  /** HTTPS and a public host: `https://hooks.example.com/card-events`. */
  url: text(2048),
  /** 1 HOLD, 2 ACTTXN, 3 deposit pending, 4 deposit cleared, 6 deposit returned. Default: 1 to 4. */
  eventTypes: eventTypes.default([
    EventType.hold,
    EventType.settlement,
    EventType.depositPending,
    EventType.depositCleared,
  ]),
  active: z.boolean().default(true),
});

export const WebhookUpdate = z.object({
  url: text(2048).optional(),
  eventTypes: eventTypes.optional(),
  active: z.boolean().optional(),
});

export const WebhookView = z.object({
  webhookId: id("webhook"),
  url: z.string(),
  eventTypes: z.array(integerEnum(EventType)),
  /** false: nothing is sent. Set it to true to switch the endpoint on again. */
  active: z.boolean(),
  /** Why the platform switched it off. Absent if you did. */
  disabledReason: WebhookDisabledReason.optional(),
  disabledAt: timestamp.optional(),
  dateCreated: timestamp,
  /** Until when the secret before the last rotation signs as well. */
  previousSecretExpiresAt: timestamp.optional(),
});
export type WebhookView = z.output<typeof WebhookView>;

/** The secret (Standard Webhooks, `whsec_…`) is shown in these answers and never again. */
export const WebhookSecretView = WebhookView.extend({ secret: z.string() });

/** Why an attempt failed without a whole answer. */
export const DeliveryError = z.enum([
  "TIMEOUT",
  "CONNECTION_FAILED",
  "CONNECTION_LOST",
  "TLS_FAILED",
  "RESPONSE_INVALID",
  "RESPONSE_TOO_LARGE",
  "RESPONSE_ENCODED",
  "RECEIVER_REFUSED",
  "NAME_NOT_RESOLVED",
]);
export type DeliveryError = z.output<typeof DeliveryError>;

const attemptOutcome = {
  /** The HTTP status that the receiver answered. */
  responseStatus: z.int().optional(),
  error: DeliveryError.optional(),
  latencyMs: z.int(),
};

export const WebhookPingResponse = z.object({
  webhookId: id("webhook"),
  /** The receiver answered 2xx. */
  delivered: z.boolean(),
  ...attemptOutcome,
});

export const WebhookEvent = z.object({
  transIdSc: id("notification"),
  eventType: integerEnum(EventType),
  cardId: id("card"),
  dateCreated: timestamp,
  /** SHA-256 of the bytes that every delivery sends, in hexadecimal. */
  bodySha256: z.string(),
});

export const DeliveryAttempt = z.object({
  webhookId: id("webhook"),
  /** The sending that it belongs to: the first one, an upstream duplicate or a redelivery. */
  deliveryId: z.string(),
  /** From 1 within its delivery. */
  attempt: z.int(),
  delivered: z.boolean(),
  ...attemptOutcome,
  bodySha256: z.string(),
  dateCreated: timestamp,
  /** When the next attempt is due; absent after the last. */
  nextAttemptAt: timestamp.optional(),
});

const sandboxRoute = routesOf({ api: "sandbox", function: "sandbox" });

export const webhookRoutes = [
  route("GET /webhooks", "List all webhook endpoints of the Program", { items: WebhookView }),
  route("POST /webhooks", "Register a webhook endpoint", {
    body: WebhookCreate,
    data: WebhookSecretView,
    errors: ["LIMIT_REACHED"],
  }),
  route("GET /webhooks/{webhookId}", "View a webhook endpoint", { data: WebhookView }),
  route("PUT /webhooks/{webhookId}", "Change a webhook endpoint", {
    body: WebhookUpdate,
    data: WebhookView,
  }),
  route("DELETE /webhooks/{webhookId}", "Delete a webhook endpoint", {
    data: z.object({ webhookId: id("webhook") }),
  }),
  route(
    "POST /webhooks/{webhookId}/rotate-secret",
    "Rotate a webhook endpoint's secret; the old one also signs for 24 hours",
    { data: WebhookSecretView },
  ),
  route("POST /webhooks/{webhookId}/ping", "Send a test message to a webhook endpoint", {
    data: WebhookPingResponse,
  }),
  route("GET /webhooks/events", "List the notifications of the last 90 days", {
    query: listQuery(["dateCreated", "transIdSc"], { eventType: queryEnum(EventType).optional() }),
    items: WebhookEvent,
  }),
  route("GET /webhooks/events/{transIdSc}/attempts", "List the attempts to deliver a notification", {
    query: listQuery(["dateCreated", "attempt"], { webhookId: text(64).optional() }),
    items: DeliveryAttempt,
  }),
  route(
    "POST /webhooks/events/{transIdSc}/redeliver",
    "Redeliver a notification, to one endpoint or to all that subscribe to it",
    {
      body: z.object(onlyEndpoint),
      data: z.object({ transIdSc: id("notification") }),
    },
  ),
  ...replayRoutes,
] as const;

/** Sandbox only: the network repeats an event. */
export const webhookSandboxRoutes = [
  sandboxRoute(
    "POST /webhooks/events/{transIdSc}/duplicate",
    "Send an upstream duplicate of a notification",
    { data: z.object({ transIdSc: id("notification") }) },
  ),
] as const;
