import { getEndpoint, signingSecrets } from "../../shared/delivery/endpoint.ts";
import { isDelivered, sendCallback } from "../../shared/delivery/send.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Sends a test message to the endpoint, active or not, signed like any other, and answers what came of it. It is sent once and stands in no list
 * of events.
 *
 * @throws ApiError NOT_FOUND
 */
export const pingWebhook: WebhookOperations["POST /webhooks/{webhookId}/ping"] = async ({ scope, path }) => {
  const endpoint = await getEndpoint(scope.programId, path.webhookId);
  const at = now();
  const { webhookId, url } = endpoint;
  const outcome = await sendCallback({
    url,
    messageId: newId("notification"),
    body: Buffer.from(JSON.stringify({ type: "ping", webhookId, dateCreated: timestamp(at) })),
    secrets: signingSecrets(endpoint, at),
  });
  return {
    webhookId,
    delivered: isDelivered(outcome),
    responseStatus: outcome.status,
    ...("failure" in outcome && { error: outcome.failure }),
    latencyMs: outcome.latencyMs,
  };
};
