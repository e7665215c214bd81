import type { webhookRoutes } from "../../shared/contract/webhooks.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** The type of each of this function's operations, by its route. */
export type WebhookOperations = Operations<(typeof webhookRoutes)[number]>;
