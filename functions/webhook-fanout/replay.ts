import * as z from "zod";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { environment } from "../../shared/environment.ts";
import { notificationReferences } from "../../shared/webhook/notification-page.ts";
import { deliveriesOf, type EndpointsOf } from "./fan-out.ts";
import type { QueuedMessage } from "./send-out.ts";

const pageSize = 100;

const ReplayDetail = z.object({
  since: z.string(),
  until: z.string(),
  webhookId: z.string().optional(),
  /** How far it has come. */
  afterId: z.string().optional(),
});

/** The deliveries of a page of the notifications of a span, and a message of its own for the rest of the span. */
export async function replay(event: OutboxEvent, endpointsOf: EndpointsOf): Promise<QueuedMessage[]> {
  const { programId, eventId: deliveryId, cause } = event;
  const detail = ReplayDetail.parse(event.detail);
  const { since, until, webhookId, afterId } = detail;
  const span = { since: new Date(since), until: new Date(until), afterId };
  const page = await notificationReferences(programId, span, "asc", pageSize);
  const deliveries = await deliveriesOf({ programId, webhookId, deliveryId, cause }, page, endpointsOf);
  if (page.length < pageSize) return deliveries;
  const rest: OutboxEvent = { ...event, detail: { ...detail, afterId: page.at(-1)?.transIdSc } };
  return [...deliveries, { queueUrl: environment.webhookQueueUrl, body: { detail: rest } }];
}
