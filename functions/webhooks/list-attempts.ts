import type { z } from "zod";
import type { DeliveryAttempt, DeliveryError } from "../../shared/contract/webhooks.ts";
import type { Attempt } from "../../shared/delivery/attempt.ts";
import { readNotification } from "../../shared/domain/notifications/notification.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Every attempt to deliver a notification to any endpoint.
 *
 * @throws ApiError NOT_FOUND
 */
export const listAttempts: WebhookOperations["GET /webhooks/events/{transIdSc}/attempts"] = async ({
  scope: { programId },
  path: { transIdSc },
  query,
}) => {
  const { webhookId, ...pageQuery } = query;
  const { pk: partition } = webhookKey.notification(programId, transIdSc);
  const [{ items, total }, notification] = await Promise.all([
    listPage(
      {
        records: { partition, prefix: "ATTEMPT#" },
        orders: { dateCreated: "createdAt", attempt: "attempt" },
        filters: { endpointId: webhookId },
      },
      pageQuery,
    ),
    readNotification(programId, transIdSc),
  ]);
  if (!notification) throw new ApiError("NOT_FOUND");
  return { items: items.map((item) => toAttemptView(item as unknown as Attempt)), total };
};

function toAttemptView({ endpointId, createdAt, ...attempt }: Attempt): z.output<typeof DeliveryAttempt> {
  const { deliveryId, delivered, responseStatus, error, latencyMs, bodySha256, nextAttemptAt } = attempt;
  return {
    webhookId: endpointId as string,
    deliveryId,
    attempt: attempt.attempt,
    delivered,
    responseStatus,
    // Emails go to no endpoint.
    error: error as DeliveryError | undefined,
    latencyMs,
    bodySha256,
    dateCreated: createdAt,
    nextAttemptAt,
  };
}
