import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { ProcessorEvent, type ProcessorResult } from "../../shared/contract/processor.ts";
import { applyEvent } from "../../shared/domain/network/execute-event.ts";
import { now } from "../../shared/platform/clock.ts";
import { correlate, correlated, log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";

/**
 * Consumes the processor's queue, or a direct invocation with one event, which returns its result.
 * @throws ZodError for a malformed event in a direct invocation
 */
export async function consumeEvents(input: unknown): Promise<SQSBatchResponse | ProcessorResult> {
  if (isQueueEvent(input)) return consumeBatch(input, consume);
  const event = ProcessorEvent.parse(input);
  return correlated({ processorEventId: event.eventId }, () => applyEvent(event));
}

const rejected = "The event was rejected permanently.";

/** How long a deposit's event waits for its Card or Wallet to exist. */
const suspendAfterMs = 3_600_000;

/**
 * Malformed events, and those whose record never appears, end in the dead-letter queue.
 * A deposit for an unknown account goes to suspense: its money has arrived.
 */
async function consume(record: SQSRecord): Promise<void> {
  const event = ProcessorEvent.parse(JSON.parse(record.body));
  correlate({ processorEventId: event.eventId });
  const waitedMs = now().getTime() - Number(record.attributes.ApproximateFirstReceiveTimestamp);
  const result = await applyEvent(event, { suspendUnknown: waitedMs >= suspendAfterMs });
  if (result.outcome === "applied") return;
  const { eventId, kind, programId } = event;
  if (result.code === "NOT_FOUND")
    throw new Error(`The event ${eventId} (${kind}) names a record that does not exist yet.`);
  const depositId = "depositId" in event ? event.depositId : undefined;
  const facts = { eventId, kind, programId, depositId, code: result.code };
  if (kind.startsWith("deposit_")) logMeasured(rejected, facts, () => ({ DepositEventsRefused: 1 }));
  else log.warn(rejected, facts);
}

function isQueueEvent(input: unknown): input is SQSEvent {
  return typeof input === "object" && input !== null && "Records" in input && Array.isArray(input.Records);
}
