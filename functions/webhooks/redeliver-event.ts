import { getEndpoint } from "../../shared/delivery/endpoint.ts";
import { readNotification } from "../../shared/domain/notifications/notification.ts";
import { resendingPut } from "../../shared/domain/notifications/resending.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Sends a notification again, the very bytes, to the endpoint that is named or to all that want its kind. Goes the way of every event, so
 * that it is sent at least once after this answer.
 *
 * @throws ApiError NOT_FOUND for the notification or the endpoint
 */
export const redeliverEvent: WebhookOperations["POST /webhooks/events/{transIdSc}/redeliver"] = async ({
  scope: { programId },
  path: { transIdSc },
  body: { webhookId },
}) => {
  const [notification] = await Promise.all([
    readNotification(programId, transIdSc),
    webhookId === undefined ? undefined : getEndpoint(programId, webhookId),
  ]);
  if (!notification) throw new ApiError("NOT_FOUND");
  const { eventType } = notification;
  await transact([resendingPut(programId, { notificationIds: [transIdSc], eventType, webhookId }, now())]);
  return { transIdSc };
};
