import { type Endpoint, getEndpoint, webhookView } from "../../shared/delivery/endpoint.ts";
import { forgetHealth } from "../../shared/delivery/endpoint-health.ts";
import { receiverFault } from "../../shared/delivery/receiver.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";
import { updateItem } from "../../shared/platform/table/write-item.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Changes what is given of an endpoint. Deliveries under way go by the endpoint as it is when they are next tried.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for a URL that callbacks cannot go to
 */
export const changeWebhook: WebhookOperations["PUT /webhooks/{webhookId}"] = async ({
  scope,
  path,
  body,
}) => {
  const { programId } = scope;
  const fault = body.url === undefined ? undefined : await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  const changes = Object.entries(body).filter(([, value]) => value !== undefined);
  if (changes.length === 0) return webhookView(await getEndpoint(programId, path.webhookId), now());
  // First, so that failures of before never switch off what is now switched on.
  if (body.active || body.url !== undefined) await forgetHealth(programId, path.webhookId);
  const outcome = await updateItem("endpoint", {
    TableName: environment.issuingTable,
    Key: webhookKey.endpoint(programId, path.webhookId),
    UpdateExpression: `SET ${changes.map(([name]) => `#${name} = :${name}`).join(", ")}${
      body.active === undefined ? "" : " REMOVE disabledReason, disabledAt"
    }`,
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeNames: Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(changes.map(([name, value]) => [`:${name}`, value])),
  });
  if (!outcome.updated) throw new ApiError("NOT_FOUND");
  return webhookView(outcome.item as unknown as Endpoint, now());
};
