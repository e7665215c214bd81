import DataLoader from "dataloader";
import { loadOnce } from "../load-once.ts";
import type { OutgoingMessage } from "./send-batch.ts";

/** With SQS's client. */
const sending = loadOnce(() => import("./send-batch.ts"));

/** Limits of SQS. */
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

/** Ten messages per request. Returns, per message, why it was not sent. Never rejects. */
export async function sendEach(
  queueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<(Error | undefined)[]> {
  const { sendBatch } = await sending();
  const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
    messages.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => sendBatch(queueUrl, batch)))).flat();
}

/** Simultaneous messages share a request. @throws Error if the queue rejects the message */
export function sendTogether(queueUrl: () => string): (message: OutgoingMessage) => Promise<void> {
  const loader = new DataLoader<OutgoingMessage, void>((messages) => sendEach(queueUrl(), messages), {
    cache: false,
  });
  return (message) => loader.load(message);
}
