import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/webhooks.ts")).webhookRoutes, {
    "GET /webhooks": async () => (await import("./list-webhooks.ts")).listWebhooks,
    "POST /webhooks": async () => (await import("./create-webhook.ts")).createWebhook,
    "GET /webhooks/{webhookId}": async () => (await import("./view-webhook.ts")).viewWebhook,
    "PUT /webhooks/{webhookId}": async () => (await import("./change-webhook.ts")).changeWebhook,
    "DELETE /webhooks/{webhookId}": async () => (await import("./delete-webhook.ts")).deleteWebhook,
    "POST /webhooks/{webhookId}/rotate-secret": async () => (await import("./rotate-secret.ts")).rotateSecret,
    "POST /webhooks/{webhookId}/ping": async () => (await import("./ping-webhook.ts")).pingWebhook,
    "GET /webhooks/events": async () => (await import("./list-events.ts")).listEvents,
    "GET /webhooks/events/{transIdSc}/attempts": async () =>
      (await import("./list-attempts.ts")).listAttempts,
    "POST /webhooks/events/{transIdSc}/redeliver": async () =>
      (await import("./redeliver-event.ts")).redeliverEvent,
    "POST /webhooks/events/redeliver": async () => (await import("./redeliver-since.ts")).redeliverSince,
    "GET /webhooks/replays/{replayId}": async () => (await import("./view-replay.ts")).viewReplay,
  }),
);
