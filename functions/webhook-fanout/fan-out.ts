import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeEventDeliveries,
  memoizeEndpoints,
  type ReadEndpoints,
  sendQueued,
} from "../../shared/notifications/delivery/delivery.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";

/** The bus sends it, or a replay that goes on. */
const Message = z.object({ detail: OutboxEvent, steps: z.int().optional() });

/**
 * Fans out replays, and what the relay could not. Reads endpoints once per Program of a batch;
 * sends the deliveries of all events together.
 */
export function fanOut(event: SQSEvent): Promise<SQSBatchResponse> {
  const readEndpoints = memoizeEndpoints();
  return consumeInBulk(
    event,
    async (record) => {
      const { detail, steps } = Message.parse(JSON.parse(record.body));
      correlate({ ...detail.cause, eventId: detail.eventId });
      const messages = await toMessages(detail, steps, readEndpoints);
      log.info("The event is fanned out.", { kind: detail.kind, messages: messages.length });
      return messages;
    },
    sendQueued,
  );
}

async function toMessages(event: OutboxEvent, steps: number | undefined, readEndpoints: ReadEndpoints) {
  if (event.kind !== "notifications.replayed") return makeEventDeliveries(event, readEndpoints);
  // Imported when first needed: it reads a list, which other events do not.
  return (await import("./replay.ts")).replay(event, steps, readEndpoints);
}
