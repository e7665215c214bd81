import { deepStrictEqual } from "node:assert/strict";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Connection } from "../../../infra/development/connection.ts";
import type { NetworkEvent } from "./network-events.ts";

export const batchSize = 10;

/** Cuts events into batches that the queue takes. */
export function inBatches(events: readonly NetworkEvent[]): NetworkEvent[][] {
  return Array.from({ length: Math.ceil(events.length / batchSize) }, (_, n) =>
    events.slice(n * batchSize, (n + 1) * batchSize),
  );
}

/** As an adapter would: what is not answered as sent is sent again. */
export async function sendEvents(
  { processorQueueUrl }: Connection,
  batch: readonly NetworkEvent[],
): Promise<void> {
  const client = new SQSClient({
    region: "eu-west-1",
    endpoint: new URL(processorQueueUrl).origin,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const Entries = batch.map((event, n) => ({ Id: String(n), MessageBody: JSON.stringify(event) }));
  const { Failed = [] } = await client.send(
    new SendMessageBatchCommand({ QueueUrl: processorQueueUrl, Entries }),
  );
  client.destroy();
  deepStrictEqual(Failed, []);
}
