import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { QuestionType } from "../../shared/contract/authorization-endpoint.ts";
import { BankReport, type ReportResult } from "../../shared/contract/bank.ts";
import {
  type CardNetworkEvent,
  cardNetworkEvents,
  findNetworkFacts,
} from "../../shared/contract/card-network.ts";
import { withoutCardNumbers } from "../../shared/contract/card-numbers.ts";
import { CustodyReport } from "../../shared/contract/custody.ts";
import { ProcessorEvent, type ProcessorResult } from "../../shared/contract/processor.ts";
import { now } from "../../shared/platform/clock.ts";
import { correlate, correlated, log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { consumeBatch, consumeTogether } from "../../shared/platform/queue/consume-batch.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";

/** What the inputs change. */
export interface Entrances {
  /** An event of the card network. */
  readonly network: (
    event: CardNetworkEvent,
    known?: { isPrecedingMissing: boolean },
  ) => Promise<ProcessorResult>;
  readonly other: (event: OtherEvent & { readonly suspendUnknown?: boolean }) => Promise<ProcessorResult>;
  readonly bank_report: (report: BankReport) => Promise<ReportResult>;
  readonly custody_report: (report: CustodyReport) => Promise<ReportResult>;
  /** Whether the Program's server may be asked about such. Reads nothing. */
  readonly mayBeAsked: (programId: string, type: QuestionType) => Promise<boolean>;
}

type OtherEvent = Exclude<ProcessorEvent, CardNetworkEvent>;

const networkKinds: ReadonlySet<string> = new Set(cardNetworkEvents.map(({ shape }) => shape.kind.value));

function isOfNetwork(event: ProcessorEvent): event is CardNetworkEvent {
  return networkKinds.has(event.kind);
}

/**
 * Consumes the processor's queue, or a direct invocation with one event, or a report of a bank or
 * custodian, which returns its result.
 * @throws ZodError for a malformed event in a direct invocation
 */
export async function consumeEvents(
  input: unknown,
  entrances: Entrances,
): Promise<SQSBatchResponse | ProcessorResult | ReportResult> {
  if (isQueueEvent(input)) return consumeRecords(input, entrances);
  if (isReport("bank_report", input)) return entrances.bank_report(BankReport.parse(input));
  if (isReport("custody_report", input)) return entrances.custody_report(CustodyReport.parse(input));
  const event = ProcessorEvent.parse(input);
  return correlated({ processorEventId: event.eventId }, () =>
    isOfNetwork(event) ? entrances.network(event) : entrances.other(event),
  );
}

/** In order. What a receiver may be asked about does not wait for others, which take their time. */
async function consumeRecords({ Records }: SQSEvent, entrances: Entrances): Promise<SQSBatchResponse> {
  const consume = (record: SQSRecord) => consumeRecord(record, entrances);
  const asked = await Promise.all(Records.map((record) => mayBeAsked(record, entrances)));
  const [together, inOrder] = [true, false].map((isAsked) => ({
    Records: Records.filter((_, index) => asked[index] === isAsked),
  })) as [SQSEvent, SQSEvent];
  const responses = await Promise.all([consumeTogether(together, consume), consumeBatch(inOrder, consume)]);
  return { batchItemFailures: responses.flatMap(({ batchItemFailures }) => batchItemFailures) };
}

/** What the Program's server may be asked about, while the network waits. */
function findQuestion(event: ProcessorEvent): QuestionType | undefined {
  if (event.kind === "token_request") return "token";
  return findNetworkFacts(event).asks && "authorization";
}

/** False for what cannot be read: `consume` says why. */
async function mayBeAsked({ body }: SQSRecord, entrances: Entrances): Promise<boolean> {
  try {
    const event = ProcessorEvent.parse(JSON.parse(body));
    const type = findQuestion(event);
    return type !== undefined && (await entrances.mayBeAsked(event.programId, type));
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
async function consumeRecord(record: SQSRecord, { network, other }: Entrances): Promise<void> {
  const event = ProcessorEvent.parse(JSON.parse(record.body));
  correlate({ processorEventId: event.eventId });
  const waitedMs = now().getTime() - Number(record.attributes.ApproximateFirstReceiveTimestamp);
  const isPrecedingMissing = waitedMs >= namedMayComeMs;
  const result = await (isOfNetwork(event)
    ? network(event, { isPrecedingMissing })
    : other({ ...event, suspendUnknown: waitedMs >= suspendAfterMs }));
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
    const identity = withoutCardNumbers(record.body);
    await keepRefused({ port: "processor", reason, input: record.body, programId, identity });
  }
  const depositId = "depositId" in event ? event.depositId : undefined;
  const facts = { eventId, kind, programId, depositId, code: result.code };
  if (kind.startsWith("deposit_")) logMeasured(rejected, facts, () => ({ DepositEventsRefused: 1 }));
  else log.warn(rejected, facts);
}

/** An expiry of what is finished releases nothing. What may have a passcode is not kept. */
function isWithoutMoney(kind: ProcessorEvent["kind"]): boolean {
  return kind === "authorization_expiry" || kind.startsWith("three_ds_") || kind === "token_passcode";
}

function isReport(kind: "bank_report" | "custody_report", input: unknown): boolean {
  return typeof input === "object" && input !== null && "kind" in input && input.kind === kind;
}

function isQueueEvent(input: unknown): input is SQSEvent {
  return typeof input === "object" && input !== null && "Records" in input && Array.isArray(input.Records);
}
