import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { AlertMessage } from "../../shared/delivery/alert-event.ts";
import { correlate } from "../../shared/platform/correlation.ts";
import { consumeTogether } from "../../shared/platform/queue/consume-batch.ts";
import { deliver } from "./deliver.ts";

/** Tells customers of codes to fetch and of certificates that end, those of a batch at the same time. */
export function consumeAlerts(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeTogether(event, (record) => {
    const message = AlertMessage.parse(JSON.parse(record.body));
    const { cause, eventId } = message.detail;
    correlate({ ...cause, eventId });
    return deliver(message);
  });
}
