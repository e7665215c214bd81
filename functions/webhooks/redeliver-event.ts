import { ApiError } from "../../shared/api-error.ts";
import { now } from "../../shared/clock.ts";
import { transact } from "../../shared/table/transact.ts";
import { getEndpoint } from "../../shared/webhook/endpoint.ts";
import { readNotification } from "../../shared/webhook/notification.ts";
import { resendingPut } from "../../shared/webhook/resending.ts";
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
