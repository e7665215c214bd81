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
      batchItemFailures.push(kept(record, error));
    }
  }
  return { batchItemFailures };
}

/**
 * Consumes a batch in two steps: what each message comes to, and then all of that at once, for what is cheaper by the dozen. `carryOut` answers an
 * error for each that came to nothing. A message that fails in either step stays, alone.
 */
export async function consumeInBulk<Part>(
  event: SQSEvent,
  prepare: (record: SQSRecord) => Promise<Part>,
  carryOut: (parts: readonly Part[]) => Promise<readonly (Error | undefined)[]>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  const prepared = await Promise.all(
    event.Records.map(async (record) => {
      try {
        return [{ record, part: await prepare(record) }];
      } catch (error) {
        batchItemFailures.push(kept(record, error));
        return [];
      }
    }),
  );
  const parts = prepared.flat();
  const errors = await carryOut(parts.map(({ part }) => part));
  for (const [index, { record }] of parts.entries()) {
    if (errors[index]) batchItemFailures.push(kept(record, errors[index]));
  }
  return { batchItemFailures };
}

function kept({ messageId }: SQSRecord, error: unknown): SQSBatchResponse["batchItemFailures"][number] {
  log.error("The message failed and stays in its queue.", { messageId, error });
  return { itemIdentifier: messageId };
}
