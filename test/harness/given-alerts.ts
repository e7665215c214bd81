import type { SQSBatchResponse } from "aws-lambda";
import { handler } from "../../functions/alert-delivery/handler.ts";
import { batchOf } from "./given-webhooks.ts";
import type { QueueRecorder } from "./queue-recorder.ts";
import { storedItems } from "./stored.ts";

const kinds = new Set<unknown>(["otp.challenged", "certificate.expiring"]);

/** The alerts of a Program or Tenant, as the bus delivers them. */
export async function alertsOf(ownerId: string): Promise<{ detail: Record<string, unknown> }[]> {
  const items = await storedItems(ownerId);
  return items
    .filter(({ sk, kind }) => sk === "OUTBOX" && kinds.has(kind))
    .toSorted((left, right) => (String(left.eventId) < String(right.eventId) ? -1 : 1))
    .map((item) => ({ detail: item }));
}

export function deliverAlerts(bodies: readonly unknown[]): Promise<SQSBatchResponse> {
  return handler(batchOf("alerts", bodies));
}

/** Delivers what waits in the queue, once, and answers what had waited. */
export async function deliverWaiting(queues: QueueRecorder) {
  const waiting = queues.take("alerts");
  await deliverAlerts(waiting.map(({ body }) => body));
  return waiting;
}
