import type { SQSBatchResponse } from "aws-lambda";
import { handler } from "../../functions/alert-delivery/handler.ts";
import { batchOf } from "./given-webhooks.ts";
import type { QueueRecorder } from "./queue-recorder.ts";
import { eventsIn, storedItems } from "./stored.ts";

const kinds = new Set<unknown>(["otp.challenged", "certificate.expiring"]);

/** The alerts of a Program or Tenant, as the bus delivers them. */
export async function alertsOf(ownerId: string): Promise<{ detail: Record<string, unknown> }[]> {
  const alerts = eventsIn(await storedItems(ownerId)).filter(({ kind }) => kinds.has(kind));
  return alerts.map((detail) => ({ detail }));
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
