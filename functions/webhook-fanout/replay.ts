import * as z from "zod";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { environment } from "../../shared/environment.ts";
import { sendMessages } from "../../shared/queue/send-messages.ts";
import { notificationReferences } from "../../shared/webhook/notification-page.ts";
import { deliverTo } from "./fan-out.ts";

const pageSize = 100;

const ReplayDetail = z.object({
  since: z.string(),
  until: z.string(),
  webhookId: z.string().optional(),
  /** How far it has come. */
  afterId: z.string().optional(),
});

/** Sends a page of the notifications of a span again, and leaves the rest of the span to a message of its own. */
export async function replay(event: OutboxEvent): Promise<void> {
  const { programId, eventId: deliveryId } = event;
  const detail = ReplayDetail.parse(event.detail);
  const { since, until, webhookId, afterId } = detail;
  const span = { since: new Date(since), until: new Date(until), afterId };
  const page = await notificationReferences(programId, span, "asc", pageSize);
  await deliverTo({ programId, webhookId, deliveryId }, page);
  if (page.length < pageSize) return;
  const rest: OutboxEvent = { ...event, detail: { ...detail, afterId: page.at(-1)?.transIdSc } };
  await sendMessages(environment.webhookQueueUrl, [{ body: { detail: rest } }]);
}
