import { now } from "../../shared/clock.ts";
import { getEndpoint, webhookView } from "../../shared/webhook/endpoint.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * One endpoint, without its secret.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewWebhook: WebhookOperations["GET /webhooks/{webhookId}"] = async ({ scope, path }) =>
  webhookView(await getEndpoint(scope.programId, path.webhookId), now());
