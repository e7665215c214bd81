import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Subject } from "../../shared/delivery/attempt.ts";
import { consumeDeliveries, type ReadItem } from "../../shared/delivery/deliver.ts";
import type { Delivery } from "../../shared/delivery/delivery.ts";
import { type Endpoint, signingSecrets } from "../../shared/delivery/endpoint.ts";
import type { EndpointState } from "../../shared/delivery/endpoint-health.ts";
import type { Notification } from "../../shared/domain/notifications/notification.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { webhookKey } from "../../shared/platform/table/keys.ts";

/** Sends notifications. One queue serves healthy endpoints, another one all others. */
export function consumeCallbacks(event: SQSEvent): Promise<SQSBatchResponse> {
  const slowQueue = environment.slowEndpointQueueUrl.split("/").at(-1);
  return consumeDeliveries(event, readNotification, (record) =>
    record.eventSourceARN.endsWith(`:${slowQueue}`),
  );
}

/** Undefined if the endpoint was deleted or switched off. */
async function readNotification(delivery: Delivery, readItem: ReadItem): Promise<Subject | undefined> {
  if (delivery.kind !== "notification") throw new Error(`Not for an endpoint: ${delivery.kind}.`);
  const { programId, messageId, endpointId: webhookId } = delivery;
  const [notification, stored, health, slots] = await Promise.all(
    [
      webhookKey.notification(programId, messageId),
      webhookKey.endpoint(programId, webhookId),
      webhookKey.health(programId, webhookId),
      webhookKey.slots(programId, webhookId),
    ].map(readItem),
  );
  const endpoint = stored as Endpoint | undefined;
  if (!notification || !endpoint?.active) return undefined;
  const { body, bodySha256 } = notification as unknown as Notification;
  const { url } = endpoint;
  return {
    content: {
      callback: { url, messageId, body: Buffer.from(body), secrets: signingSecrets(endpoint, now()) },
    },
    bodySha256,
    endpoint: { programId, webhookId, url, health, slots } as EndpointState,
  };
}
