import * as z from "zod";
import type { DeliveryMessage } from "../../shared/callback/delivery-message.ts";
import { eventTypeSchema } from "../../shared/contract/notifications.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { environment } from "../../shared/environment.ts";
import { randomInteger } from "../../shared/id.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import { readEndpoints } from "../../shared/webhook/endpoint.ts";
import { isHealthy, isSuspect } from "../../shared/webhook/endpoint-health.ts";
import { eventTypeOf } from "../../shared/webhook/event-type.ts";
import type { NotificationReference } from "../../shared/webhook/notification-page.ts";

const NotifyingDetail = z.object({
  notificationIds: z.array(z.string()).default([]),
  eventType: eventTypeSchema.optional(),
  webhookId: z.string().optional(),
});

/** One delivery for each of an event's notifications to each active endpoint that wants its kind. */
export async function fanOut({ eventId, kind, programId, detail }: OutboxEvent): Promise<void> {
  const { notificationIds, webhookId, eventType = eventTypeOf[kind] } = NotifyingDetail.parse(detail);
  if (eventType === undefined) throw new Error(`Nothing is sent out for ${kind}.`);
  const references = notificationIds.map((transIdSc) => ({ transIdSc, eventType }));
  await deliverTo({ programId, webhookId, deliveryId: eventId }, references);
}

const longestWaitSeconds = 20;

/** What the deliveries of one event have in common. */
export interface Fan {
  readonly programId: string;
  /** The only endpoint that they are for. */
  readonly webhookId?: string | undefined;
  readonly deliveryId: string;
}

/** Sends the deliveries to their queues. Repeated, it makes the same deliveries again, which are then known as such. */
export async function deliverTo(
  { programId, webhookId, deliveryId }: Fan,
  references: readonly NotificationReference[],
): Promise<void> {
  const queued: { queueUrl: string; message: DeliveryMessage; delaySeconds: number }[] = [];
  for (const { endpoint, health } of await readEndpoints(programId)) {
    if (!endpoint.active || (webhookId !== undefined && webhookId !== endpoint.webhookId)) continue;
    const queueUrl = isHealthy(health) ? environment.callbackQueueUrl : environment.callbackDetourUrl;
    // At one that may be dead the only place is taken all the time: there is no use in looking at once.
    const delaySeconds = isSuspect(health) ? randomInteger(1, longestWaitSeconds + 1) : 0;
    for (const { transIdSc, eventType } of references) {
      if (!endpoint.eventTypes.includes(eventType)) continue;
      const message = { programId, messageId: transIdSc, endpointId: endpoint.webhookId, deliveryId };
      queued.push({ queueUrl, message: { ...message, attempt: 1, deferrals: 0 }, delaySeconds });
    }
  }
  const byQueue = Map.groupBy(queued, ({ queueUrl }) => queueUrl);
  for (const [queueUrl, group] of byQueue) {
    await sendMessages(
      queueUrl,
      group.map(({ message, delaySeconds }) => ({
        body: message,
        groupId: message.endpointId,
        ...(delaySeconds > 0 && { delaySeconds }),
      })),
    );
  }
}
