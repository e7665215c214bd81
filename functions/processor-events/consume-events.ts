import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { BankReport, type BankReportResult } from "../../shared/contract/bank.ts";
import { CustodyReport, type CustodyReportResult } from "../../shared/contract/custody.ts";
import { ProcessorEvent, type ProcessorResult } from "../../shared/contract/processor.ts";
import { mayHaveEndpoint } from "../../shared/domain/decisions/endpoint.ts";
import { applyEvent } from "../../shared/domain/network/execute-event.ts";
import { now } from "../../shared/platform/clock.ts";
import { correlate, correlated, log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { consumeBatch, consumeTogether } from "../../shared/platform/queue/consume-batch.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";

/**
 * Consumes the processor's queue, or a direct invocation with one event, or a report of a bank or
 * custodian, which returns its result.
 * @throws ZodError for a malformed event in a direct invocation
 */
export async function consumeEvents(
  input: unknown,
): Promise<SQSBatchResponse | ProcessorResult | BankReportResult | CustodyReportResult> {
  if (isQueueEvent(input)) return consumeRecords(input);
  if (isReport("bank_report", input)) {
    const { applyBankEvent } = await import("../../shared/domain/bank/apply-bank-event.ts");
    return applyBankEvent(BankReport.parse(input));
  }
  if (isReport("custody_report", input)) {
    const { applyCustodyEvent } = await import("../../shared/domain/custody/apply-custody-event.ts");
    return applyCustodyEvent(CustodyReport.parse(input));
  }
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

/** Far longer than a processor waits: what an event names and is unknown then never came. */
const namedMayComeMs = 300_000;

/**
 * Malformed events, those whose record never appears, and settlements whose reference code exists,
 * end in the dead-letter queue.
 * A deposit for an unknown account goes to suspense: its money has arrived. What is rejected for
 * good is kept for the operator: its sender has no answer.
 */
async function consume(record: SQSRecord): Promise<void> {
  const event = ProcessorEvent.parse(JSON.parse(record.body));
  correlate({ processorEventId: event.eventId });
  const waitedMs = now().getTime() - Number(record.attributes.ApproximateFirstReceiveTimestamp);
  const isPrecedingMissing = waitedMs >= namedMayComeMs;
  const result = await applyEvent(event, { suspendUnknown: waitedMs >= suspendAfterMs, isPrecedingMissing });
  if (result.outcome === "applied") return;
  const { eventId, kind, programId } = event;
  const isOfIncrement = "incrementEventId" in event && event.incrementEventId !== undefined;
  const mayCome = !isOfIncrement || waitedMs < namedMayComeMs;
  if (result.code === "NOT_FOUND" && mayCome)
    throw new Error(`The event ${eventId} (${kind}) names a record that does not exist yet.`);
  if (result.code === "REFERENCE_EXISTS")
    throw new Error(`The event ${eventId} (${kind}) has the reference code of another transaction.`);
  if (result.code !== "NOT_FOUND" && !isWithoutMoney(kind)) {
    const reason = `${kind}: ${result.code}. It changed nothing.`;
    await keepRefused({ port: "processor", reason, input: record.body, programId, identity: eventId });
  }
  const depositId = "depositId" in event ? event.depositId : undefined;
  const facts = { eventId, kind, programId, depositId, code: result.code };
  if (kind.startsWith("deposit_")) logMeasured(rejected, facts, () => ({ DepositEventsRefused: 1 }));
  else log.warn(rejected, facts);
}

/** An expiry of what is finished releases nothing. A completion has a passcode: it is not kept. */
function isWithoutMoney(kind: ProcessorEvent["kind"]): boolean {
  return kind === "authorization_expiry" || kind.startsWith("three_ds_");
}

function isReport(kind: "bank_report" | "custody_report", input: unknown): boolean {
  return typeof input === "object" && input !== null && "kind" in input && input.kind === kind;
}

function isQueueEvent(input: unknown): input is SQSEvent {
  return typeof input === "object" && input !== null && "Records" in input && Array.isArray(input.Records);
}
