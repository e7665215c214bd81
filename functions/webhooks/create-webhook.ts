import { countWrite, type Endpoint, endpointPuts, webhookView } from "../../shared/delivery/endpoint.ts";
import { receiverFault } from "../../shared/delivery/receiver.ts";
import { newSigningSecret } from "../../shared/delivery/signature.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Registers an endpoint. Its secret leaves in this answer alone.
 *
 * @throws ApiError VALIDATION_FAILED for a URL that callbacks cannot go to; LIMIT_REACHED at 5 endpoints
 */
export const createWebhook: WebhookOperations["POST /webhooks"] = async ({ scope: { programId }, body }) => {
  const fault = await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  const at = now();
  const endpoint: Endpoint = {
    programId,
    webhookId: newId("webhook"),
    ...body,
    secret: newSigningSecret(),
    createdAt: timestamp(at),
  };
  const outcome = await transact(endpointPuts(endpoint));
  if (!outcome.committed) {
    if (outcome.failedConditions.has(countWrite)) throw new ApiError("LIMIT_REACHED");
    throw new Error("The id of a new endpoint is taken.");
  }
  return { ...webhookView(endpoint, at), secret: endpoint.secret };
};
