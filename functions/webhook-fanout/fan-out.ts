import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeEventDeliveries,
  memoizeEndpoints,
  type QueuedMessage,
  type ReadEndpoints,
  sendQueued,
} from "../../shared/delivery/fan-out.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";

const BusEvent = z.object({ detail: OutboxEvent });

/**
 * Fans out replays, and what the relay could not. Reads endpoints once per Program of a batch;
 * sends the deliveries of all events together.
 */
export function fanOut(event: SQSEvent): Promise<SQSBatchResponse> {
  const readEndpoints = memoizeEndpoints();
  return consumeInBulk(
    event,
    async (record) => {
      const { detail } = BusEvent.parse(JSON.parse(record.body));
      correlate({ ...detail.cause, eventId: detail.eventId });
      const messages = await toMessages(detail, readEndpoints);
      log.info("The event is fanned out.", { kind: detail.kind, messages: messages.length });
      return messages;
    },
    sendQueued,
  );
}

async function toMessages(event: OutboxEvent, readEndpoints: ReadEndpoints): Promise<QueuedMessage[]> {
  // Imported when first needed: they read lists, which other events do not.
  if (event.kind === "notifications.replayed")
    return (await import("./replay.ts")).replay(event, readEndpoints);
  if (event.kind === "control.simulated") return (await import("./simulate.ts")).simulate(event);
  if (event.kind === "settlement.requested")
    return (await import("./report-settlement.ts")).reportSettlement(event);
  if (event.kind === "statement.requested") return (await import("./make-statement.ts")).makeStatement(event);
  if (event.kind === "ledger.requested") return (await import("./make-ledger.ts")).makeLedger(event);
  return makeEventDeliveries(event, readEndpoints);
}
