import { readEndpoints, webhookView } from "../../shared/delivery/endpoint.ts";
import { now } from "../../shared/platform/clock.ts";
import type { WebhookOperations } from "./operations.ts";

/** All the Program's endpoints, in the order of their registration. */
export const listWebhooks: WebhookOperations["GET /webhooks"] = async ({ scope }) => {
  const endpoints = await readEndpoints(scope.programId);
  return {
    items: endpoints.map(({ endpoint }) => webhookView(endpoint, now())),
    total: endpoints.length,
  };
};
