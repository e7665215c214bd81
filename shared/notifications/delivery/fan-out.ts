import * as z from "zod";
import { eventTypes } from "../../changes/change.ts";
import { EventType } from "../../contract/enums.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { environment } from "../../platform/environment.ts";
import { randomInteger } from "../../platform/id.ts";
import type { OutgoingMessage } from "../../platform/queue/send-batch.ts";
import { sendEach } from "../../platform/queue/send-messages.ts";
import type { Notification } from "../notification.ts";
import type { Delivery } from "./delivery.ts";
import { isHealthy, isSuspect, readEndpoints } from "./endpoint.ts";

export interface QueuedMessage {
  readonly queueUrl: string;
  readonly message: OutgoingMessage;
}

export type ReadEndpoints = typeof readEndpoints;

/** Reads the endpoints of each Program once. */
export function memoizeEndpoints(): ReadEndpoints {
  const answers = new Map<string, ReturnType<ReadEndpoints>>();
  return (programId) => {
    const answer = answers.get(programId) ?? readEndpoints(programId);
    answers.set(programId, answer);
    return answer;
  };
}

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: integerEnum(EventType).optional(),
  /** Sends to this endpoint only. */
  webhookId: z.string().optional(),
});

/** The deliveries of an event's notifications, to the only endpoint that it names or to all. */
export async function makeEventDeliveries(event: OutboxEvent, read: ReadEndpoints): Promise<QueuedMessage[]> {
  const detail = NotifyingDetail.parse(event.detail);
  const { notificationIds, webhookId, eventType = eventTypes[event.kind] } = detail;
  if (eventType === undefined) throw new Error(`No notification is sent for ${event.kind}.`);
  const notifications = notificationIds.map((transIdSc) => ({ transIdSc, eventType }));
  return makeDeliveries(event, await read(event.programId), notifications, webhookId);
}

const longestWaitSeconds = 20;

/**
 * One delivery for each notification and each active endpoint that subscribes to its type.
 * Repeatable: the same input makes the same deliveries, which are recognized.
 */
export function makeDeliveries(
  { programId, eventId: deliveryId, cause }: OutboxEvent,
  endpoints: Awaited<ReturnType<ReadEndpoints>>,
  notifications: readonly Pick<Notification, "transIdSc" | "eventType">[],
  webhookId: string | undefined,
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

/**
 * Sends the messages of all events together. Returns, per event, why not all were sent. A
 * repetition sends some twice. Never rejects.
 */
export async function sendQueued(
  events: readonly (readonly QueuedMessage[])[],
): Promise<(Error | undefined)[]> {
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
