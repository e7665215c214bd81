import * as z from "zod";
import { EventType } from "./enums.ts";
import { id, integerEnum, listQuery, queryEnum, text, timestamp } from "./primitives.ts";
import { route } from "./route.ts";
import { WebhookDisabledReason } from "./webhook-disabled.ts";
import { onlyEndpoint, replayRoutes } from "./webhook-replays.ts";

/** Endpoints that a Program may have at once. */
export const maximumWebhooks = 5;

const eventTypes = z
  .array(integerEnum(EventType))
  .min(1)
  .refine((types) => new Set(types).size === types.length, "must not name a type twice");

export const WebhookCreate = z.object({
  /** HTTPS, and a public host. */
  url: text(2048),
  /** 1 HOLD, 2 ACTTXN, 3 deposit pending, 4 deposit cleared, 6 deposit returned. Left out: 1 to 4. */
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
  /** false: nothing is sent to it. A change of `active` switches an endpoint on again. */
  active: z.boolean(),
  /** Why the platform switched it off; absent where you did. */
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

export const webhookRoutes = [
  route({
    api: "platform",
    function: "webhooks",
    method: "GET",
    path: "/webhooks",
    summary: "List all webhook endpoints of the Program",
    answer: "list",
    response: WebhookView,
    errors: [],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "POST",
    path: "/webhooks",
    summary: "Register a webhook endpoint",
    answer: "detail",
    body: WebhookCreate,
    response: WebhookSecretView,
    errors: ["LIMIT_REACHED"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "GET",
    path: "/webhooks/{webhookId}",
    summary: "View a webhook endpoint",
    answer: "detail",
    response: WebhookView,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "PUT",
    path: "/webhooks/{webhookId}",
    summary: "Change a webhook endpoint",
    answer: "detail",
    body: WebhookUpdate,
    response: WebhookView,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "DELETE",
    path: "/webhooks/{webhookId}",
    summary: "Delete a webhook endpoint",
    answer: "detail",
    response: z.object({ webhookId: id("webhook") }),
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "POST",
    path: "/webhooks/{webhookId}/rotate-secret",
    summary: "Give a webhook endpoint a new secret; the old one signs beside it for 24 hours",
    answer: "detail",
    response: WebhookSecretView,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "POST",
    path: "/webhooks/{webhookId}/ping",
    summary: "Send a test message to a webhook endpoint",
    answer: "detail",
    response: WebhookPingResponse,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "GET",
    path: "/webhooks/events",
    summary: "List the notifications of the last 90 days",
    answer: "list",
    query: listQuery(
      ["dateCreated", "transIdSc"],
      { orderBy: "dateCreated", sort: "desc" },
      { eventType: queryEnum(EventType).optional() },
    ),
    response: WebhookEvent,
    errors: [],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "GET",
    path: "/webhooks/events/{transIdSc}/attempts",
    summary: "List the attempts to deliver a notification",
    answer: "list",
    query: listQuery(
      ["dateCreated", "attempt"],
      { orderBy: "dateCreated", sort: "desc" },
      {
        webhookId: text(64).optional(),
      },
    ),
    response: DeliveryAttempt,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "webhooks",
    method: "POST",
    path: "/webhooks/events/{transIdSc}/redeliver",
    summary: "Send a notification again, to one endpoint or to all that want it",
    answer: "detail",
    body: z.object(onlyEndpoint),
    response: z.object({ transIdSc: id("notification") }),
    errors: ["NOT_FOUND"],
  }),
  ...replayRoutes,
] as const;

/** The sandbox's part: the card network's side repeats itself. */
export const webhookSandboxRoutes = [
  route({
    api: "sandbox",
    function: "sandbox",
    method: "POST",
    path: "/webhooks/events/{transIdSc}/duplicate",
    summary: "Pass on an upstream duplicate of a notification",
    answer: "detail",
    response: z.object({ transIdSc: id("notification") }),
    errors: ["NOT_FOUND"],
  }),
] as const;
