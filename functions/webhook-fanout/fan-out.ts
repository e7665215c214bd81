import * as z from "zod";
import { EventType } from "../../shared/contract/enums.ts";
import type { Cause, OutboxEvent } from "../../shared/contract/outbox.ts";
import { integerEnum } from "../../shared/contract/primitives.ts";
import type { DeliveryOf } from "../../shared/delivery/delivery.ts";
import type { readEndpoints } from "../../shared/delivery/endpoint.ts";
import { isHealthy, isSuspect } from "../../shared/delivery/endpoint-health.ts";
import type { NotificationSummary } from "../../shared/delivery/notification-page.ts";
import { eventTypeOf } from "../../shared/domain/notifications/event-type.ts";
import { environment } from "../../shared/platform/environment.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import type { QueuedMessage } from "./send-out.ts";

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: integerEnum(EventType).optional(),
  webhookId: z.string().optional(),
});

/** A Program's endpoints and what is known of their health. */
export type EndpointsOf = typeof readEndpoints;

/** One delivery for each of an event's notifications to each active endpoint that wants its kind. */
export async function fanOut(
  { eventId, kind, programId, detail, cause }: OutboxEvent,
  endpointsOf: EndpointsOf,
): Promise<QueuedMessage[]> {
  const { notificationIds, webhookId, eventType = eventTypeOf[kind] } = NotifyingDetail.parse(detail);
  if (eventType === undefined) throw new Error(`Nothing is sent out for ${kind}.`);
  const notifications = notificationIds.map((transIdSc) => ({ transIdSc, eventType }));
  return deliveriesOf({ programId, webhookId, deliveryId: eventId, cause }, notifications, endpointsOf);
}

const longestWaitSeconds = 20;

/** What the deliveries of one event have in common. */
export interface Fan {
  readonly programId: string;
  /** The only endpoint that they are for. */
  readonly webhookId?: string | undefined;
  readonly deliveryId: string;
  readonly cause?: Cause | undefined;
}

/** The deliveries, each for its queue. Asked for again, they are the same deliveries, which are then known as such. */
export async function deliveriesOf(
  { programId, webhookId, deliveryId, cause }: Fan,
  notifications: readonly Pick<NotificationSummary, "transIdSc" | "eventType">[],
  endpointsOf: EndpointsOf,
): Promise<QueuedMessage[]> {
  const queued: QueuedMessage[] = [];
  for (const { endpoint, health } of await endpointsOf(programId)) {
    if (!endpoint.active || (webhookId !== undefined && webhookId !== endpoint.webhookId)) continue;
    const queueUrl = isHealthy(health) ? environment.callbackQueueUrl : environment.slowEndpointQueueUrl;
    // At one that may be dead the only place is taken all the time: there is no use in looking at once.
    const delay = isSuspect(health) ? { delaySeconds: randomInteger(1, longestWaitSeconds + 1) } : {};
    for (const { transIdSc, eventType } of notifications) {
      if (!endpoint.eventTypes.includes(eventType)) continue;
      const endpointId = endpoint.webhookId;
      const body: DeliveryOf<"notification"> = {
        kind: "notification",
        programId,
        messageId: transIdSc,
        endpointId,
        deliveryId,
        attempt: 1,
        deferrals: 0,
        cause,
      };
      queued.push({ queueUrl, body, groupId: endpointId, ...delay });
    }
  }
  return queued;
}
