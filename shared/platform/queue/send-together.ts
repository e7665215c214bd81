import DataLoader from "dataloader";
import type { OutgoingMessage } from "./outgoing-message.ts";
import { sendEach } from "./send-messages.ts";

/**
 * Sends messages one by one; those sent at the same moment share a request.
 *
 * @throws Error if the queue refuses the message
 */
export function sendTogether(queueUrl: () => string): (message: OutgoingMessage) => Promise<void> {
  const loader = new DataLoader<OutgoingMessage, void>((messages) => sendEach(queueUrl(), messages), {
    cache: false,
  });
  return (message) => loader.load(message);
}
