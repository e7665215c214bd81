import type { OutgoingMessage } from "../../shared/platform/queue/outgoing-message.ts";
import { sendEach } from "../../shared/platform/queue/send-messages.ts";

/** A message and the queue that it is for. */
export interface QueuedMessage extends OutgoingMessage {
  readonly queueUrl: string;
}

/**
 * Sends what several events come to, whatever is for one queue together: ten messages are one request. Answers for each event why not all of its
 * messages were sent; whoever brings it again sends those twice that were.
 */
export async function sendOut(events: readonly (readonly QueuedMessage[])[]): Promise<(Error | undefined)[]> {
  const all = events.flatMap((messages, event) => messages.map((message) => ({ event, message })));
  const byQueue = Map.groupBy(all, ({ message }) => message.queueUrl);
  const failures = new Map<number, Error>();
  await Promise.all(
    [...byQueue].map(async ([queueUrl, group]) => {
      const errors = await sendEach(
        queueUrl,
        group.map(({ message: { queueUrl: _, ...message } }) => message),
      );
      for (const [index, { event }] of group.entries()) {
        if (errors[index]) failures.set(event, errors[index]);
      }
    }),
  );
  return events.map((_, event) => failures.get(event));
}
