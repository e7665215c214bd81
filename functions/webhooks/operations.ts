import type { webhookRoutes } from "../../shared/contract/webhooks.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type WebhookOperations = Operations<(typeof webhookRoutes)[number]>;
