import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import { consumeTogether } from "../../shared/queue/consume-batch.ts";
import { fanOut } from "./fan-out.ts";
import { replay } from "./replay.ts";

/** An event as the bus delivers it. */
const BusEvent = z.object({ detail: OutboxEvent });

/** Takes the events that are to be sent out from their queue, and makes one delivery for each endpoint that wants to hear of them. */
export function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeTogether(event, consume);
}

async function consume(record: SQSRecord): Promise<void> {
  const { detail } = BusEvent.parse(JSON.parse(record.body));
  return detail.kind === "notifications.replayed" ? replay(detail) : fanOut(detail);
}
