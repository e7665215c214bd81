import DataLoader from "dataloader";

export interface OutgoingMessage {
  readonly body: unknown;
  /** SQS fair queues: messages of a busy group do not keep the others waiting. */
  readonly groupId?: string;
  /** Up to 15 minutes. */
  readonly delaySeconds?: number;
}

/** SQS' own bounds. */
export const maximumDelaySeconds = 900;
const batchSize = 10;

/**
 * If it throws, some messages may have been sent: a repetition sends those twice.
 * @throws Error if the queue rejects a message
 */
export async function sendMessages(queueUrl: string, messages: readonly OutgoingMessage[]): Promise<void> {
  const failure = (await sendEach(queueUrl, messages)).find((error) => error !== undefined);
  if (failure) throw failure;
}

/** Sends messages, ten in a request. Answers for each why it was not sent, if it was not. Never rejects. */
export async function sendEach(
  queueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<(Error | undefined)[]> {
  // SQS's client: a run that sends nothing does not need it.
  const { sendBatch } = await import("./send-batch.ts");
  const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
    messages.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => sendBatch(queueUrl, batch)))).flat();
}

/**
 * Sends messages one by one; those sent at the same moment share a request.
 *
 * @throws Error if the queue rejects the message
 */
export function sendTogether(queueUrl: () => string): (message: OutgoingMessage) => Promise<void> {
  const loader = new DataLoader<OutgoingMessage, void>((messages) => sendEach(queueUrl(), messages), {
    cache: false,
  });
  return (message) => loader.load(message);
}
