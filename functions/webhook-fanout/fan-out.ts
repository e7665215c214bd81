import * as z from "zod";
import { EventType } from "../../shared/contract/enums.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { integerEnum } from "../../shared/contract/primitives.ts";
import type { DeliveryOf } from "../../shared/delivery/delivery.ts";
import type { readEndpoints } from "../../shared/delivery/endpoint.ts";
import { isHealthy, isSuspect } from "../../shared/delivery/endpoint-health.ts";
import { advanceReplay } from "../../shared/delivery/replay.ts";
import {
  type NotificationSummary,
  readNotificationSpan,
} from "../../shared/domain/notifications/notification-page.ts";
import { eventTypes } from "../../shared/domain/notifications/resending.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import type { OutgoingMessage } from "../../shared/platform/queue/send-messages.ts";

export interface QueuedMessage {
  readonly queueUrl: string;
  readonly message: OutgoingMessage;
}
export type ReadEndpoints = typeof readEndpoints;
type Notified = Pick<NotificationSummary, "transIdSc" | "eventType">;

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: integerEnum(EventType).optional(),
  /** Sends to this endpoint only. */
  webhookId: z.string().optional(),
});

/** One delivery for each notification and each active endpoint that wants its kind. */
export function fanOut(event: OutboxEvent, readEndpoints: ReadEndpoints): Promise<QueuedMessage[]> {
  const detail = NotifyingDetail.parse(event.detail);
  const { notificationIds, webhookId, eventType = eventTypes[event.kind] } = detail;
  if (eventType === undefined) throw new Error(`Nothing is sent out for ${event.kind}.`);
  const notifications = notificationIds.map((transIdSc) => ({ transIdSc, eventType }));
  return makeDeliveries(event, webhookId, notifications, readEndpoints);
}

const pageSize = 100;

const ReplayDetail = z.object({
  replayId: z.string(),
  since: z.string(),
  until: z.string(),
  webhookId: z.string().optional(),
  /** Notifications sent before this message. */
  sent: z.int().default(0),
  /** Only the end is left to record. */
  isDone: z.boolean().default(false),
});

/**
 * Makes the deliveries of one page, and a message for the rest. A repeated message makes the same deliveries,
 * which are recognized, and continues only if no copy did.
 */
export async function replay(event: OutboxEvent, readEndpoints: ReadEndpoints): Promise<QueuedMessage[]> {
  const { programId } = event;
  const detail = ReplayDetail.parse(event.detail);
  const { replayId, since, until, webhookId, sent, isDone } = detail;
  const isFirst = await advanceReplay({ programId, replayId, sent }, isDone, now());
  if (isDone) return [];
  const span = { since: new Date(since), until: new Date(until) };
  const { items } = await readNotificationSpan(programId, span, { offset: sent, limit: pageSize });
  const deliveries = await makeDeliveries(event, webhookId, items, readEndpoints);
  if (!isFirst) return deliveries;
  const progress = { sent: sent + items.length, isDone: items.length < pageSize };
  const rest: OutboxEvent = { ...event, detail: { ...detail, ...progress } };
  return [...deliveries, { queueUrl: environment.webhookQueueUrl, message: { body: { detail: rest } } }];
}

const longestWaitSeconds = 20;

/** Repeatable: the same input makes the same deliveries, which are recognized. */
async function makeDeliveries(
  { programId, eventId: deliveryId, cause }: OutboxEvent,
  webhookId: string | undefined,
  notifications: readonly Notified[],
  readEndpoints: ReadEndpoints,
): Promise<QueuedMessage[]> {
  const queued: QueuedMessage[] = [];
  for (const { endpoint, health } of await readEndpoints(programId)) {
    const endpointId = endpoint.webhookId;
    if (!endpoint.active || (webhookId !== undefined && webhookId !== endpointId)) continue;
    const queueUrl = isHealthy(health) ? environment.callbackQueueUrl : environment.slowEndpointQueueUrl;
    // A suspect endpoint has one slot, always taken: sending at once is useless.
    const delay = isSuspect(health) ? { delaySeconds: randomInteger(1, longestWaitSeconds + 1) } : {};
    for (const { transIdSc: messageId, eventType } of notifications) {
      if (!endpoint.eventTypes.includes(eventType)) continue;
      const ids = { programId, messageId, endpointId, deliveryId };
      const delivery: DeliveryOf<"notification"> = {
        kind: "notification",
        ...ids,
        attempt: 1,
        deferrals: 0,
        cause,
      };
      queued.push({ queueUrl, message: { body: delivery, groupId: endpointId, ...delay } });
    }
  }
  return queued;
}
