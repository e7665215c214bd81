import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { PreparedDelivery } from "../../shared/notifications/delivery/attempt.ts";
import { consumeDeliveries } from "../../shared/notifications/delivery/consume-deliveries.ts";
import type { DeliveryOf } from "../../shared/notifications/delivery/delivery.ts";
import {
  type EndpointState,
  endpointHealth,
  endpointSlots,
  endpoints,
  isHealthy,
} from "../../shared/notifications/delivery/endpoint.ts";
import { isOwnMovement } from "../../shared/notifications/notification.ts";
import { isExpired, readNotification } from "../../shared/notifications/stored-notification.ts";
import { sendCallback } from "../../shared/platform/callbacks/post.ts";
import { signingSecrets } from "../../shared/platform/callbacks/signature.ts";
import { now } from "../../shared/platform/clock.ts";
import type { ReadItem } from "../../shared/platform/table/entity.ts";

/** Sends a delivery to an endpoint that is not healthy, when it is its turn. */
type SendInTurn = (
  delivery: DeliveryOf<"notification">,
  endpoint: EndpointState,
  queueArn: string,
  attempt: () => Promise<void>,
) => Promise<void>;

/** Sends notifications. One queue serves healthy endpoints, another one all others. */
export function consumeCallbacks(event: SQSEvent, sendInTurn: SendInTurn): Promise<SQSBatchResponse> {
  return consumeDeliveries(event, async (delivery, readItem, queueArn) => {
    if (delivery.kind !== "notification") throw new Error(`Not for an endpoint: ${delivery.kind}.`);
    const prepared = await prepareNotification(delivery, readItem);
    if (!prepared || isHealthy(prepared.endpoint.health)) return prepared;
    return { ...prepared, inTurn: (attempt) => sendInTurn(delivery, prepared.endpoint, queueArn, attempt) };
  });
}

/**
 * Undefined if the endpoint was deleted or switched off or does not want it, or it has expired.
 * @throws Error if it is missing: the queue keeps its delivery
 */
async function prepareNotification(
  { programId, messageId, endpointId: webhookId }: DeliveryOf<"notification">,
  readItem: ReadItem,
): Promise<(PreparedDelivery & { readonly endpoint: EndpointState }) | undefined> {
  const [notification, endpoint, health] = await Promise.all([
    readNotification(programId, messageId, readItem),
    endpoints.at(programId, webhookId).get(readItem),
    endpointHealth.at(programId, webhookId).get(readItem),
  ]);
  if (!endpoint?.active || isExpired(messageId)) return undefined;
  if (!notification) throw new Error(`The notification ${messageId} does not exist.`);
  if (!endpoint.eventTypes.includes(notification.eventType)) return undefined;
  if (!endpoint.includeTransfers && isOwnMovement(notification)) return undefined;
  const { url } = endpoint;
  const body = Buffer.from(notification.body);
  const readSlots = () => endpointSlots.at(programId, webhookId).get(readItem);
  return {
    send: () => sendCallback({ url, messageId, body, secrets: signingSecrets(endpoint, now()) }),
    bodySha256: notification.bodySha256,
    endpoint: { programId, webhookId, url, health, readSlots },
  };
}
