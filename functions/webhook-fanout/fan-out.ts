import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { EventType } from "../../shared/contract/enums.ts";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import { integerEnum } from "../../shared/contract/primitives.ts";
import type { Delivery } from "../../shared/delivery/delivery.ts";
import { isHealthy, isSuspect, readEndpoints } from "../../shared/delivery/endpoint.ts";
import { eventTypes, type Notification } from "../../shared/domain/notifications/notification.ts";
import { environment } from "../../shared/platform/environment.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";
import { type OutgoingMessage, sendEach } from "../../shared/platform/queue/send-messages.ts";

const BusEvent = z.object({ detail: OutboxEvent });

/** Reads endpoints once per Program of a batch; sends the deliveries of all events together. */
export function fanOut(event: SQSEvent): Promise<SQSBatchResponse> {
  const readEndpointsOnce = memoize(readEndpoints);
  return consumeInBulk(
    event,
    async (record) => {
      const { detail } = BusEvent.parse(JSON.parse(record.body));
      correlate({ ...detail.cause, eventId: detail.eventId });
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

export interface QueuedMessage {
  readonly queueUrl: string;
  readonly message: OutgoingMessage;
}
type ReadEndpoints = typeof readEndpoints;

/** Makes the deliveries of notifications, to the only endpoint that the event names or to all. */
export type MakeDeliveries = (
  notifications: readonly Pick<Notification, "transIdSc" | "eventType">[],
  webhookId: string | undefined,
) => Promise<QueuedMessage[]>;

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: integerEnum(EventType).optional(),
  /** Sends to this endpoint only. */
  webhookId: z.string().optional(),
});

async function toMessages(event: OutboxEvent, readEndpoints: ReadEndpoints): Promise<QueuedMessage[]> {
  const deliver: MakeDeliveries = async (notifications, webhookId) =>
    makeDeliveries(event, await readEndpoints(event.programId), notifications, webhookId);
  // Imported when first needed: it reads a list, which other events do not.
  if (event.kind === "notifications.replayed") return (await import("./replay.ts")).replay(event, deliver);
  const detail = NotifyingDetail.parse(event.detail);
  const { notificationIds, webhookId, eventType = eventTypes[event.kind] } = detail;
  if (eventType === undefined) throw new Error(`No notification is sent for ${event.kind}.`);
  return deliver(
    notificationIds.map((transIdSc) => ({ transIdSc, eventType })),
    webhookId,
  );
}

const longestWaitSeconds = 20;

/**
 * One delivery for each notification and each active endpoint that subscribes to its type.
 * Repeatable: the same input makes the same deliveries, which are recognized.
 */
function makeDeliveries(
  { programId, eventId: deliveryId, cause }: OutboxEvent,
  endpoints: Awaited<ReturnType<ReadEndpoints>>,
  ...[notifications, webhookId]: Parameters<MakeDeliveries>
): QueuedMessage[] {
  const queued: QueuedMessage[] = [];
  for (const { endpoint, health } of endpoints) {
    const endpointId = endpoint.webhookId;
    if (!endpoint.active || (webhookId !== undefined && webhookId !== endpointId)) continue;
    const queueUrl = isHealthy(health) ? environment.callbackQueueUrl : environment.slowEndpointQueueUrl;
    // A suspect endpoint has one slot, always taken: sending at once is useless.
    const delay = isSuspect(health) ? { delaySeconds: randomInteger(1, longestWaitSeconds + 1) } : {};
    for (const { transIdSc: messageId, eventType } of notifications) {
      if (!endpoint.eventTypes.includes(eventType)) continue;
      const ids = { programId, messageId, endpointId, deliveryId };
      const body: Delivery = { kind: "notification", ...ids, attempt: 1, deferrals: 0, cause };
      queued.push({ queueUrl, message: { body, groupId: endpointId, ...delay } });
    }
  }
  return queued;
}
