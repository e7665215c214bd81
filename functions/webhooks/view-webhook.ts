import { getEndpoint, webhookView } from "../../shared/delivery/endpoint.ts";
import { now } from "../../shared/platform/clock.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * One endpoint, without its secret.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewWebhook: WebhookOperations["GET /webhooks/{webhookId}"] = async ({ scope, path }) =>
  webhookView(await getEndpoint(scope.programId, path.webhookId), now());
