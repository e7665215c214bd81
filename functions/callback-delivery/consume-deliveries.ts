import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { correlate } from "../../shared/platform/correlation.ts";
import { environment } from "../../shared/platform/environment.ts";
import { consumeTogether } from "../../shared/platform/queue/consume-batch.ts";
import { deliver } from "./deliver.ts";
import { itemReader } from "./subject.ts";

/**
 * Sends the callbacks of a batch at the same time, and reads what they need in one call. A slow
 * receiver delays no other.
 */
export function consumeDeliveries(event: SQSEvent): Promise<SQSBatchResponse> {
  const items = itemReader();
  return consumeTogether(event, (record) => {
    const message = DeliveryMessage.parse(JSON.parse(record.body));
    correlate({ ...message.cause, eventId: message.deliveryId });
    return deliver(message, isDetour(record), items);
  });
}

/** Both queues have this consumer; which one it is stands in the record by its name. */
function isDetour({ eventSourceARN }: SQSRecord): boolean {
  return eventSourceARN.split(":").at(-1) === environment.callbackDetourUrl.split("/").at(-1);
}
