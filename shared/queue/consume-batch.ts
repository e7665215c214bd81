import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { log } from "../log.ts";

/** Consumes the messages of a batch at the same time: for those whose work is to wait for others. A message that fails stays, alone. */
export async function consumeTogether(
  event: SQSEvent,
  consume: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const responses = await Promise.all(
    event.Records.map((record) => consumeBatch({ Records: [record] }, consume)),
  );
  return { batchItemFailures: responses.flatMap(({ batchItemFailures }) => batchItemFailures) };
}

/**
 * Consumes a batch message by message, in its order. A message that fails stays in the queue, alone, until its
 * receives are used up and it goes to the dead-letter queue; the others are done with.
 */
export async function consumeBatch(
  event: SQSEvent,
  consume: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  for (const record of event.Records) {
    try {
      await consume(record);
    } catch (error) {
      log.error("The message failed and stays in its queue.", { messageId: record.messageId, error });
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
