import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { PreparedDelivery } from "../../shared/notifications/delivery/attempt.ts";
import { consumeDeliveries } from "../../shared/notifications/delivery/consume-deliveries.ts";
import type { Delivery } from "../../shared/notifications/delivery/delivery.ts";
import { endpointHealth, endpointSlots, endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { isOwnMovement } from "../../shared/notifications/notification.ts";
import { isExpired, readNotification } from "../../shared/notifications/stored-notification.ts";
import { sendCallback } from "../../shared/platform/callbacks/post.ts";
import { signingSecrets } from "../../shared/platform/callbacks/signature.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import type { ReadItem } from "../../shared/platform/table/entity.ts";

/** Sends notifications. One queue serves healthy endpoints, another one all others. */
export function consumeCallbacks(event: SQSEvent): Promise<SQSBatchResponse> {
  const slowQueue = environment.slowEndpointQueueUrl.split("/").at(-1);
  return consumeDeliveries(event, prepareNotification, (record) =>
    record.eventSourceARN.endsWith(`:${slowQueue}`),
  );
}

/**
 * Undefined if the endpoint was deleted or switched off or does not want it, or it has expired.
 * @throws Error if it is missing: the queue keeps its delivery
 */
async function prepareNotification(
  delivery: Delivery,
  readItem: ReadItem,
): Promise<PreparedDelivery | undefined> {
  if (delivery.kind !== "notification") throw new Error(`Not for an endpoint: ${delivery.kind}.`);
  const { programId, messageId, endpointId: webhookId } = delivery;
  const [notification, endpoint, health, slots] = await Promise.all([
    readNotification(programId, messageId, readItem),
    endpoints.at(programId, webhookId).get(readItem),
    endpointHealth.at(programId, webhookId).get(readItem),
    endpointSlots.at(programId, webhookId).get(readItem),
  ]);
  if (!endpoint?.active || isExpired(messageId)) return undefined;
  if (!notification) throw new Error(`The notification ${messageId} does not exist.`);
  if (!endpoint.includeTransfers && isOwnMovement(notification)) return undefined;
  const { url } = endpoint;
  const body = Buffer.from(notification.body);
  return {
    send: () => sendCallback({ url, messageId, body, secrets: signingSecrets(endpoint, now()) }),
    bodySha256: notification.bodySha256,
    endpoint: { programId, webhookId, url, health, slots },
  };
}
