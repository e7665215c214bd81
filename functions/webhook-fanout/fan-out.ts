import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeEventDeliveries,
  memoizeEndpoints,
  type QueuedMessage,
  type ReadEndpoints,
  sendQueued,
} from "../../shared/notifications/delivery/fan-out.ts";
import { environment } from "../../shared/platform/environment.ts";
import { correlate, log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";

/** From the bus, or of a job's rest. */
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
      const messages = withSteps(await toMessages(detail, readEndpoints), steps);
      log.info("The event is fanned out.", { kind: detail.kind, messages: messages.length });
      return messages;
    },
    sendQueued,
  );
}

/** The rest of a job knows how many messages were before it. */
function withSteps(messages: readonly QueuedMessage[], steps: number | undefined): QueuedMessage[] {
  return messages.map(({ queueUrl, message }) => {
    if (queueUrl !== environment.webhookQueueUrl) return { queueUrl, message };
    return {
      queueUrl,
      message: { ...message, body: { ...(message.body as object), steps: nextStep(steps) } },
    };
  });
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
