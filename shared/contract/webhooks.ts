import * as z from "zod";
import { WebhookDisabledReason } from "./alerts.ts";
import { EventType } from "./enums.ts";
import { id, integerEnum, listQuery, queryEnum, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

export const ReplayView = z.object({
  replayId: id("replay"),
  /** A replay without progress for an hour is done, even if `sent` is below `total`. */
  status: z.enum(["running", "done"]),
  since: timestamp,
  total: z.int(),
  /** Notifications handed to the delivery. */
  sent: z.int(),
});
export type ReplayView = z.output<typeof ReplayView>;

/** Limits the operation to one endpoint. */
export const onlyEndpoint = { webhookId: text(64).optional() };

const route = routesWith({ api: "platform", function: "webhooks" });

export const replayRoutes = [
  route(
    "POST /webhooks/events/redeliver",
    "write redeliverSince",
    "Redeliver all notifications since a time to one endpoint or to all subscribed endpoints",
    {
      creates: true,
      body: z.object({ since: z.iso.datetime({ offset: true }), ...onlyEndpoint }),
      data: ReplayView,
      errors: ["NOT_FOUND", "REPLAY_IN_PROGRESS"],
    },
  ),
  route("GET /webhooks/replays/{replayId}", "read viewReplay", "View a replay's progress", {
    data: ReplayView,
  }),
] as const;

export const maximumWebhooks = 5;

const eventTypes = z
  .array(integerEnum(EventType))
  .min(1)
  .refine((types) => new Set(types).size === types.length, "must not name a type twice");

const isBetween = (found: number, least: number, most: number) => found >= least && found <= most;

export const WebhookCreate = z.object({
  /** HTTPS and a public host: `https://hooks.example.com/card-events`. */
  url: text(2048),
  /**
   * 1 HOLD, 2 ACTTXN, 3, 4 and 6 deposit pending, cleared and returned. From 10 on see `webhooks`:
   * sent and recorded only while an endpoint names them. Default: 1 to 4.
   */
  eventTypes: eventTypes.default([
    EventType.hold,
    EventType.settlement,
    EventType.depositPending,
    EventType.depositCleared,
  ]),
  /** Whether ACTTXN are sent of loads and unloads (80, 88) and of paid debt (64) too. */
  includeTransfers: z.boolean().default(true),
  active: z.boolean().default(true),
  /**
   * `whsec_` and 24 to 64 random bytes in base64 (Standard Webhooks), for a receiver that has one
   * already. Default: a new one.
   */
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "must be whsec_ and base64")
    .refine(
      (secret) => isBetween(Buffer.from(secret.slice(6), "base64").length, 24, 64),
      "must have 24 to 64 bytes",
    )
    .meta({ examples: ["whsec_cmVkYWN0ZWQ="] })
    .optional(),
});

export const WebhookUpdate = z.object({
  url: text(2048).optional(),
  eventTypes: eventTypes.optional(),
  includeTransfers: z.boolean().optional(),
  active: z.boolean().optional(),
});

export const WebhookView = z.object({
  webhookId: id("webhook"),
  url: z.string(),
  eventTypes: z.array(integerEnum(EventType)),
  includeTransfers: z.boolean(),
  /** Whether notifications are sent. Set it to true to enable a disabled endpoint. */
  active: z.boolean(),
  /** Why the platform disabled it. Absent if you did. */
  disabledReason: WebhookDisabledReason.optional(),
  disabledAt: timestamp.optional(),
  dateCreated: timestamp,
  /** The replaced secret also signs until then. */
  previousSecretExpiresAt: timestamp.optional(),
});
export type WebhookView = z.output<typeof WebhookView>;

/** The secret (Standard Webhooks, `whsec_…`) is returned only in this answer. */
export const WebhookSecretView = WebhookView.extend({ secret: z.string() });

/** Why an attempt got no complete answer. */
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
  /** The HTTP status of the receiver's answer. */
  responseStatus: z.int().optional(),
  error: DeliveryError.optional(),
  latencyMs: z.int(),
};

export const WebhookPingResponse = z.object({
  webhookId: id("webhook"),
  /** Whether the receiver answered 2xx. */
  delivered: z.boolean(),
  ...attemptOutcome,
});

export const WebhookEvent = z.object({
  transIdSc: id("notification"),
  eventType: integerEnum(EventType),
  /** What it is about: a Card, a deposit, … Only from type 10 on. */
  subjectId: z.string().optional(),
  /** The Card, where there is one. */
  cardId: id("card").optional(),
  dateCreated: timestamp,
  /** SHA-256 of the sent bytes, in hexadecimal. Every delivery sends the same bytes. */
  bodySha256: z.string(),
});

export const DeliveryAttempt = z.object({
  webhookId: id("webhook"),
  /** Identifies the delivery: the first one, an upstream duplicate or a redelivery. */
  deliveryId: z.string(),
  /** Counts from 1 within the delivery. */
  attempt: z.int(),
  delivered: z.boolean(),
  ...attemptOutcome,
  bodySha256: z.string(),
  dateCreated: timestamp,
  /** When the next attempt is due. Absent after the last attempt. */
  nextAttemptAt: timestamp.optional(),
});

const sandboxRoute = routesWith({ api: "sandbox", function: "sandbox" });

export const webhookRoutes = [
  route("GET /webhooks", "read listWebhooks", "List all webhook endpoints of the Program", {
    items: WebhookView,
  }),
  route("POST /webhooks", "write createWebhook", "Register a webhook endpoint", {
    creates: "webhookId",
    body: WebhookCreate,
    data: WebhookSecretView,
    errors: ["LIMIT_REACHED"],
  }),
  route("GET /webhooks/{webhookId}", "read viewWebhook", "View a webhook endpoint", { data: WebhookView }),
  route("PUT /webhooks/{webhookId}", "write changeWebhook", "Change a webhook endpoint", {
    body: WebhookUpdate,
    data: WebhookView,
  }),
  route("DELETE /webhooks/{webhookId}", "write deleteWebhook", "Delete a webhook endpoint", {
    data: z.object({ webhookId: id("webhook") }),
  }),
  route(
    "POST /webhooks/{webhookId}/rotate-secret",
    "write rotateSecret",
    "Rotate a webhook endpoint's secret. The replaced secret also signs for 24 hours",
    { data: WebhookSecretView },
  ),
  route("POST /webhooks/{webhookId}/ping", "write pingWebhook", "Send a test message to a webhook endpoint", {
    data: WebhookPingResponse,
  }),
  route("GET /webhooks/events", "read listEvents", "List the notifications of the last 90 days", {
    query: listQuery(["dateCreated", "transIdSc"], { eventType: queryEnum(EventType).optional() }),
    items: WebhookEvent,
  }),
  route(
    "GET /webhooks/events/{transIdSc}/attempts",
    "read listAttempts",
    "List the attempts to deliver a notification",
    {
      query: listQuery(["dateCreated", "attempt"], { webhookId: text(64).optional() }),
      items: DeliveryAttempt,
    },
  ),
  route(
    "POST /webhooks/events/{transIdSc}/redeliver",
    "write redeliverEvent",
    "Redeliver a notification to one endpoint or to all subscribed endpoints",
    { creates: true, body: z.object(onlyEndpoint), data: z.object({ transIdSc: id("notification") }) },
  ),
  ...replayRoutes,
] as const;

/** Sandbox only: the network repeats an event. */
export const webhookSandboxRoutes = [
  sandboxRoute(
    "POST /webhooks/events/{transIdSc}/duplicate",
    "write duplicateNotification",
    "Send an upstream duplicate of a notification",
    { data: z.object({ transIdSc: id("notification") }) },
  ),
] as const;
