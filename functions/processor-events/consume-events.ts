import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { ProcessorEvent, type ProcessorResult } from "../../shared/contract/processor.ts";
import { mayHaveEndpoint } from "../../shared/domain/decisions/endpoint.ts";
import { applyEvent } from "../../shared/domain/network/execute-event.ts";
import { now } from "../../shared/platform/clock.ts";
import { correlate, correlated, log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { consumeBatch, consumeTogether } from "../../shared/platform/queue/consume-batch.ts";

/**
 * Consumes the processor's queue, or a direct invocation with one event, which returns its result.
 * @throws ZodError for a malformed event in a direct invocation
 */
export async function consumeEvents(input: unknown): Promise<SQSBatchResponse | ProcessorResult> {
  if (isQueueEvent(input)) return consumeRecords(input);
  const event = ProcessorEvent.parse(input);
  return correlated({ processorEventId: event.eventId }, () => applyEvent(event));
}

/** In order. What a receiver may be asked about does not wait for others, which take their time. */
async function consumeRecords({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const asked = await Promise.all(Records.map(mayBeAsked));
  const [together, inOrder] = [true, false].map((isAsked) => ({
    Records: Records.filter((_, index) => asked[index] === isAsked),
  })) as [SQSEvent, SQSEvent];
  const responses = await Promise.all([consumeTogether(together, consume), consumeBatch(inOrder, consume)]);
  return { batchItemFailures: responses.flatMap(({ batchItemFailures }) => batchItemFailures) };
}

/** The network waits for the answer. */
const isWaitedFor: ReadonlySet<ProcessorEvent["kind"]> = new Set([
  "authorization",
  "authorization_incremental",
  "atm_withdrawal",
]);

/** False for what cannot be read: `consume` says why. */
async function mayBeAsked({ body }: SQSRecord): Promise<boolean> {
  try {
    const { kind, programId } = ProcessorEvent.parse(JSON.parse(body));
    return isWaitedFor.has(kind) && (await mayHaveEndpoint(programId));
  } catch {
    return false;
  }
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
