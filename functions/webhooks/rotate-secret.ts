import { type Endpoint, webhookView } from "../../shared/delivery/endpoint.ts";
import { newSigningSecret } from "../../shared/delivery/signature.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";
import { updateItem } from "../../shared/platform/table/write-item.ts";
import type { WebhookOperations } from "./operations.ts";

const overlapMs = 24 * 3_600_000;

/**
 * Gives the endpoint a new secret, shown in this answer alone. The one before signs as well for 24 hours; one that was before that one
 * does not any more.
 *
 * @throws ApiError NOT_FOUND
 */
export const rotateSecret: WebhookOperations["POST /webhooks/{webhookId}/rotate-secret"] = async ({
  scope,
  path,
}) => {
  const at = now();
  const secret = newSigningSecret();
  const outcome = await updateItem("endpoint", {
    TableName: environment.issuingTable,
    Key: webhookKey.endpoint(scope.programId, path.webhookId),
    UpdateExpression: "SET previousSecret = secret, previousSecretExpiresAt = :until, secret = :secret",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: {
      ":until": timestamp(new Date(at.getTime() + overlapMs)),
      ":secret": secret,
    },
  });
  if (!outcome.updated) throw new ApiError("NOT_FOUND");
  return { ...webhookView(outcome.item as unknown as Endpoint, at), secret };
};
