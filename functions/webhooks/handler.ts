import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const endpoints = () => import("./endpoints.ts");
const events = () => import("./events.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/webhooks.ts")).webhookRoutes, {
    "GET /webhooks": async () => (await endpoints()).listWebhooks,
    "POST /webhooks": async () => (await endpoints()).createWebhook,
    "GET /webhooks/{webhookId}": async () => (await endpoints()).viewWebhook,
    "PUT /webhooks/{webhookId}": async () => (await endpoints()).changeWebhook,
    "DELETE /webhooks/{webhookId}": async () => (await endpoints()).deleteWebhook,
    "POST /webhooks/{webhookId}/rotate-secret": async () => (await endpoints()).rotateSecret,
    "POST /webhooks/{webhookId}/ping": async () => (await endpoints()).pingWebhook,
    "GET /webhooks/events": async () => (await events()).listEvents,
    "GET /webhooks/events/{transIdSc}/attempts": async () => (await events()).listAttempts,
    "POST /webhooks/events/{transIdSc}/redeliver": async () => (await events()).redeliverEvent,
    "POST /webhooks/events/redeliver": async () => (await events()).redeliverSince,
    "GET /webhooks/replays/{replayId}": async () => (await events()).viewReplay,
  }),
);
