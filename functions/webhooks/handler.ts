import { webhookRoutes } from "../../shared/contract/webhooks.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { changeWebhook } from "./change-webhook.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listAttempts } from "./list-attempts.ts";
import { listEvents } from "./list-events.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { pingWebhook } from "./ping-webhook.ts";
import { redeliverEvent } from "./redeliver-event.ts";
import { redeliverSince } from "./redeliver-since.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { viewWebhook } from "./view-webhook.ts";

export const handler = apiHandler(webhookRoutes, {
  "GET /webhooks": listWebhooks,
  "POST /webhooks": createWebhook,
  "GET /webhooks/{webhookId}": viewWebhook,
  "PUT /webhooks/{webhookId}": changeWebhook,
  "DELETE /webhooks/{webhookId}": deleteWebhook,
  "POST /webhooks/{webhookId}/rotate-secret": rotateSecret,
  "POST /webhooks/{webhookId}/ping": pingWebhook,
  "GET /webhooks/events": listEvents,
  "GET /webhooks/events/{transIdSc}/attempts": listAttempts,
  "POST /webhooks/events/{transIdSc}/redeliver": redeliverEvent,
  "POST /webhooks/events/redeliver": redeliverSince,
});
