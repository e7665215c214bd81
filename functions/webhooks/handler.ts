import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/webhooks.ts")).webhookRoutes, {
    "GET /webhooks": async () => (await import("./endpoints.ts")).listWebhooks,
    "POST /webhooks": async () => (await import("./endpoints.ts")).createWebhook,
    "GET /webhooks/{webhookId}": async () => (await import("./endpoints.ts")).viewWebhook,
    "PUT /webhooks/{webhookId}": async () => (await import("./endpoints.ts")).changeWebhook,
    "DELETE /webhooks/{webhookId}": async () => (await import("./endpoints.ts")).deleteWebhook,
    "POST /webhooks/{webhookId}/rotate-secret": async () => (await import("./endpoints.ts")).rotateSecret,
    "POST /webhooks/{webhookId}/ping": async () => (await import("./endpoints.ts")).pingWebhook,
    "GET /webhooks/events": async () => (await import("./events.ts")).listEvents,
    "GET /webhooks/events/{transIdSc}/attempts": async () => (await import("./events.ts")).listAttempts,
    "POST /webhooks/events/{transIdSc}/redeliver": async () => (await import("./events.ts")).redeliverEvent,
    "POST /webhooks/events/redeliver": async () => (await import("./events.ts")).redeliverSince,
    "GET /webhooks/replays/{replayId}": async () => (await import("./events.ts")).viewReplay,
  }),
);
