import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { handler as deliver } from "../../functions/callback-delivery/handler.ts";
import { handler as fanOut } from "../../functions/webhook-fanout/handler.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { type GivenProgram, givenProgram } from "./given-cards.ts";
import { givenStoredCard } from "./given-stored.ts";
import type { QueueRecorder, SentMessage } from "./queue-recorder.ts";
import { eventsIn, storedItems } from "./stored.ts";

/** The batch that Lambda makes of messages of a queue. */
export function batchOf(queue: string, bodies: readonly unknown[]): SQSEvent {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `message-${index}`,
      receiptHandle: "receipt",
      body: JSON.stringify(body),
      attributes: {
        ApproximateReceiveCount: "1",
        SentTimestamp: "0",
        SenderId: "sender",
        ApproximateFirstReceiveTimestamp: "0",
      },
      messageAttributes: {},
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:eu-west-1:000000000000:${queue}`,
      awsRegion: "eu-west-1",
    })),
  };
}

export interface GivenWebhooks extends GivenProgram {
  /** Registers an endpoint and answers its view, secret included. */
  // biome-ignore lint/suspicious/noExplicitAny: the answer's data.
  register(body: object): Promise<any>;
  /** Moves a cleared deposit on a new card, and answers the TransId_SC of its notification. */
  notify(): Promise<string>;
  /** The events of the outbox since the last time, as the bus delivers them. */
  events(): Promise<{ detail: OutboxEvent }[]>;
  fan(events: readonly unknown[]): Promise<SQSBatchResponse>;
  /** Fans out the events since the last time. */
  fanOut(): Promise<SQSBatchResponse>;
  /** Delivers what waits in a queue, once. */
  deliver(queue: "callbacks" | "slow"): Promise<{ taken: SentMessage[]; response: SQSBatchResponse }>;
  deliverMessages(queue: "callbacks" | "slow", bodies: readonly unknown[]): Promise<SQSBatchResponse>;
}

/** A Program with a card, whose events this test carries from queue to queue itself. */
export async function givenWebhooks(queues: QueueRecorder): Promise<GivenWebhooks> {
  const program = await givenProgram();
  const { programId, call } = program;
  const cardId = await givenStoredCard(programId);
  const seen = new Set<string>();
  const events = async () => {
    const fresh = eventsIn(await storedItems(programId)).filter(({ eventId }) => !seen.has(eventId));
    for (const { eventId } of fresh) seen.add(eventId);
    return fresh.map((event) => ({ detail: event as OutboxEvent }));
  };
  await events();
  const fan = (bodies: readonly unknown[]) => fanOut(batchOf("events", bodies));
  const deliverMessages = (queue: string, bodies: readonly unknown[]) => deliver(batchOf(queue, bodies));
  return {
    ...program,
    register: async (body) => (await call("POST /webhooks", { body })).body.data,
    notify: async () => {
      const path = { cardId };
      await call("POST /cards/{cardId}/deposits", { path, body: { amount: 500, pending: false } });
      const { items } = (await call("GET /webhooks/events")).body;
      return items[0].transIdSc;
    },
    events,
    fan,
    fanOut: async () => fan(await events()),
    deliver: async (queue) => {
      const taken = queues.take(queue);
      return {
        taken,
        response: await deliverMessages(
          queue,
          taken.map(({ body }) => body),
        ),
      };
    },
    deliverMessages,
  };
}
