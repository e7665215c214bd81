import { endpointDeletes } from "../../shared/delivery/endpoint.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Deletes an endpoint. What was to be sent to it is not sent any more.
 *
 * @throws ApiError NOT_FOUND
 */
export const deleteWebhook: WebhookOperations["DELETE /webhooks/{webhookId}"] = async ({ scope, path }) => {
  const outcome = await transact(endpointDeletes(scope.programId, path.webhookId));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { webhookId: path.webhookId };
};
