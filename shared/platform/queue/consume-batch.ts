import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { correlated, correlation, log } from "../log.ts";
import { withinShare } from "../time-budget.ts";

/** Consumes a batch concurrently. Only failed messages stay. Each has its own log ids. */
export async function consumeTogether(
  event: SQSEvent,
  consume: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const responses = await Promise.all(
    event.Records.map((record) => consumeBatch({ Records: [record] }, consume)),
  );
  return { batchItemFailures: responses.flatMap(({ batchItemFailures }) => batchItemFailures) };
}

/** Consumes a batch in order. Only failed messages stay; each has its share of the time. */
export async function consumeBatch(
  event: SQSEvent,
  consume: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  for (const [index, record] of event.Records.entries()) {
    await correlated({}, async () => {
      try {
        await withinShare(event.Records.length - index, () => consume(record));
      } catch (error) {
        batchItemFailures.push(toFailure(record, error));
      }
    });
  }
  return { batchItemFailures };
}

/** Prepares each message, then carries all out together. Messages that fail in either step stay. */
export async function consumeInBulk<Part>(
  event: SQSEvent,
  prepare: (record: SQSRecord) => Promise<Part>,
  carryOut: (parts: readonly Part[]) => Promise<readonly (Error | undefined)[]>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse["batchItemFailures"] = [];
  const prepared = await Promise.all(
    event.Records.map((record) =>
      correlated({}, async () => {
        try {
          const part = await prepare(record);
          return [{ record, part, ids: correlation() }];
        } catch (error) {
          batchItemFailures.push(toFailure(record, error));
          return [];
        }
      }),
    ),
  );
  const parts = prepared.flat();
  const errors = await carryOut(parts.map(({ part }) => part));
  for (const [index, { record, ids }] of parts.entries()) {
    const error = errors[index];
    if (error) batchItemFailures.push(correlated(ids, () => toFailure(record, error)));
  }
  return { batchItemFailures };
}

function toFailure({ messageId }: SQSRecord, error: unknown): SQSBatchResponse["batchItemFailures"][number] {
  log.error("The message failed and stays in its queue.", { messageId, error });
  return { itemIdentifier: messageId };
}
