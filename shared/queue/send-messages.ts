import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";

/** The one SQS client. Four attempts for throttling, timeouts and 5xx. */
const queues = new SQSClient({
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
});

/** A message for a queue. */
export interface OutgoingMessage {
  readonly body: unknown;
  /** Of messages that have one, those of a busy group do not keep the others waiting (SQS fair queues). */
  readonly groupId?: string;
  /** Up to 15 minutes. */
  readonly delaySeconds?: number;
}

/** SQS' own bounds. */
const batchSize = 10;
export const maximumDelaySeconds = 900;

/**
 * Sends messages, all of them or else it throws: then some may have been sent, and whoever sends again sends those twice.
 *
 * @throws Error where the queue refused a message.
 */
export async function sendMessages(queueUrl: string, messages: readonly OutgoingMessage[]): Promise<void> {
  const failure = (await sendEach(queueUrl, messages)).find((error) => error !== undefined);
  if (failure) throw failure;
}

/** Sends messages, ten in a request, and answers for each why it was not sent, if it was not. Never rejects. */
export async function sendEach(
  queueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<(Error | undefined)[]> {
  const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
    messages.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => sendBatch(queueUrl, batch)))).flat();
}

async function sendBatch(
  queueUrl: string,
  batch: readonly OutgoingMessage[],
): Promise<(Error | undefined)[]> {
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: batch.map(({ body, groupId, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(body),
      ...(groupId !== undefined && { MessageGroupId: groupId }),
      ...(delaySeconds !== undefined && { DelaySeconds: Math.min(delaySeconds, maximumDelaySeconds) }),
    })),
  });
  try {
    const { Failed = [] } = await queues.send(command);
    return batch.map((_, index) => {
      const failed = Failed.find(({ Id }) => Id === String(index));
      return failed && new Error(`The queue refused a message: ${failed.Code} ${failed.Message}`);
    });
  } catch (error) {
    return batch.map(() => (error instanceof Error ? error : new Error(String(error))));
  }
}
