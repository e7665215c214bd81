import * as z from "zod";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeDeliveries,
  type QueuedMessage,
  type ReadEndpoints,
} from "../../shared/notifications/delivery/delivery.ts";
import { advanceReplay } from "../../shared/notifications/delivery/replay.ts";
import { readNotificationSpan } from "../../shared/notifications/notification-page.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";

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
 * Makes the deliveries of one page, and a message for the rest. A repeated message makes the same
 * deliveries, which are recognized, and continues only if no copy did.
 */
export async function replay(
  event: OutboxEvent,
  steps: number | undefined,
  readEndpoints: ReadEndpoints,
): Promise<QueuedMessage[]> {
  const { programId } = event;
  const detail = ReplayDetail.parse(event.detail);
  const { replayId, since, until, webhookId, sent, isDone } = detail;
  const isFirst = await advanceReplay({ programId, replayId, sent }, isDone, now());
  if (isDone) return [];
  const span = { since: new Date(since), until: new Date(until) };
  const { items } = await readNotificationSpan(programId, span, { offset: sent, limit: pageSize });
  const deliveries = makeDeliveries(event, await readEndpoints(programId), items, webhookId);
  if (!isFirst) return deliveries;
  const progress = { sent: sent + items.length, isDone: items.length < pageSize };
  const rest: OutboxEvent = { ...event, detail: { ...detail, ...progress } };
  const body = { detail: rest, steps: nextStep(steps) };
  return [...deliveries, { queueUrl: environment.fanOutQueueUrl, message: { body } }];
}
