import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import { readEndpoints } from "../../shared/delivery/endpoint.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";
import { sendEach } from "../../shared/platform/queue/send-messages.ts";
import { fanOut, type QueuedMessage, type ReadEndpoints, replay } from "./fan-out.ts";

const BusEvent = z.object({ detail: OutboxEvent });

/** Reads endpoints once per Program of a batch; sends the deliveries of all events together. */
export function consumeEvents(event: SQSEvent): Promise<SQSBatchResponse> {
  const readEndpointsOnce = memoize(readEndpoints);
  return consumeInBulk(
    event,
    async (record) => {
      const { detail } = BusEvent.parse(JSON.parse(record.body));
      correlate({ ...detail.cause, eventId: detail.eventId });
      const toMessages = detail.kind === "notifications.replayed" ? replay : fanOut;
      const messages = await toMessages(detail, readEndpointsOnce);
      log.info("The event is fanned out.", { kind: detail.kind, messages: messages.length });
      return messages;
    },
    sendAll,
  );
}

function memoize(read: ReadEndpoints): ReadEndpoints {
  const answers = new Map<string, ReturnType<ReadEndpoints>>();
  return (programId) => {
    const answer = answers.get(programId) ?? read(programId);
    answers.set(programId, answer);
    return answer;
  };
}

/** Returns, per event, why not all messages were sent. A repetition sends some twice. */
async function sendAll(events: readonly (readonly QueuedMessage[])[]): Promise<(Error | undefined)[]> {
  const all = events.flatMap((messages, event) => messages.map((message) => ({ event, ...message })));
  const failures = new Map<number, Error>();
  await Promise.all(
    [...Map.groupBy(all, ({ queueUrl }) => queueUrl)].map(async ([queueUrl, group]) => {
      const errors = await sendEach(
        queueUrl,
        group.map(({ message }) => message),
      );
      for (const [index, { event }] of group.entries()) {
        if (errors[index]) failures.set(event, errors[index]);
      }
    }),
  );
  return events.map((_, event) => failures.get(event));
}
