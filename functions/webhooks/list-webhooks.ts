import { now } from "../../shared/clock.ts";
import { readEndpoints, webhookView } from "../../shared/webhook/endpoint.ts";
import type { WebhookOperations } from "./operations.ts";

/** All the Program's endpoints, in the order of their registration. */
export const listWebhooks: WebhookOperations["GET /webhooks"] = async ({ scope }) => {
  const endpoints = await readEndpoints(scope.programId);
  return {
    items: endpoints.map(({ endpoint }) => webhookView(endpoint, now())),
    total: endpoints.length,
  };
};
