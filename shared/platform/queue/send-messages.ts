import type { OutgoingMessage } from "./outgoing-message.ts";

/** SQS' own bound. */
const batchSize = 10;

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
  // With its client, which a run that sends nothing can do without.
  const { sendBatch } = await import("./send-batch.ts");
  const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
    messages.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => sendBatch(queueUrl, batch)))).flat();
}
