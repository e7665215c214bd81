import * as z from "zod";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { notificationsIn } from "../../shared/delivery/notification-page.ts";
import { advanceReplay } from "../../shared/delivery/replay.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { deliveriesOf, type EndpointsOf } from "./fan-out.ts";
import type { QueuedMessage } from "./send-out.ts";

const pageSize = 100;

const ReplayDetail = z.object({
  replayId: z.string(),
  since: z.string(),
  until: z.string(),
  webhookId: z.string().optional(),
  /** How far it has come: that this message exists says that so many are sent. */
  sent: z.int().default(0),
  /** Nothing is left but to say so. */
  isDone: z.boolean().default(false),
});

/**
 * The deliveries of a page of the notifications of a span, and a message of its own for the rest. A message that comes again makes the same
 * deliveries again, which are known as such, and carries the replay on only where no other has.
 */
export async function replay(event: OutboxEvent, endpointsOf: EndpointsOf): Promise<QueuedMessage[]> {
  const { programId, eventId: deliveryId, cause } = event;
  const detail = ReplayDetail.parse(event.detail);
  const { replayId, since, until, webhookId, sent, isDone } = detail;
  const isFirst = await advanceReplay({ programId, replayId, sent }, isDone, now());
  if (isDone) return [];
  const span = { since: new Date(since), until: new Date(until) };
  const page = { offset: sent, limit: pageSize };
  const { items: notifications } = await notificationsIn(programId, span, page);
  const deliveries = await deliveriesOf(
    { programId, webhookId, deliveryId, cause },
    notifications,
    endpointsOf,
  );
  if (!isFirst) return deliveries;
  const come = { sent: sent + notifications.length, isDone: notifications.length < pageSize };
  const rest: OutboxEvent = { ...event, detail: { ...detail, ...come } };
  return [...deliveries, { queueUrl: environment.webhookQueueUrl, body: { detail: rest } }];
}
