import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsCommandOutput,
  type PutEventsRequestEntry,
} from "@aws-sdk/client-eventbridge";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import {
  type OutboxEvent,
  outsideKinds,
  publishedKinds,
  type RelayedEvent,
  toToldItem,
} from "../../shared/contract/outbox.ts";
import type { ReadEndpoints } from "../../shared/notifications/delivery/delivery.ts";
import { environment } from "../../shared/platform/environment.ts";
import type { Correlation } from "../../shared/platform/log.ts";
import { log } from "../../shared/platform/log.ts";
import { StoredEvent } from "../../shared/platform/outbox/carried-event.ts";
import { requestLimits } from "../../shared/platform/request-limits.ts";
import type { ToldRecord } from "./chosen/tell.ts";

interface StreamedEvent {
  readonly sequenceNumber: string;
  readonly event: RelayedEvent;
}

interface OutboxEntry {
  readonly sequenceNumber: string;
  readonly entry: PutEventsRequestEntry;
  readonly bytes: number;
  readonly ids: Correlation;
}

/** Four attempts for throttling, timeouts and 5xx. */
export const eventBus = new EventBridgeClient({
  maxAttempts: 4,
  requestHandler: requestLimits(5_000),
});

// They copy events for a logger that is not there, and sign the SDK's version.
for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) eventBus.middlewareStack.remove(name);

const source = "card-issuing-platform";
const forOutside: ReadonlySet<string> = new Set(outsideKinds);
const timeBytes = 14;
/** Limits of one PutEvents call. */
const maximumEntries = 10;
const maximumBytes = 256 * 1024;

/**
 * Queues the deliveries of notifications, then publishes in stream order what the bus has a rule
 * for. Stops at the first item that is malformed or rejected by the bus, and lets the stream repeat
 * from there: consumers deduplicate by `eventId`. Not deferred as other handlers: its client loads
 * at the cold start.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const readable: StreamedEvent[] = [];
  const failed = new Set<string | undefined>();
  const changed: ToldRecord[] = [];
  // Only Cards with a top-up have it.
  const hasTopUp = event.Records.some(({ dynamodb }) => dynamodb?.NewImage?.topUpBelowMinor);
  const findTopUp = hasTopUp ? (await import("./top-ups.ts")).dueTopUps() : undefined;
  for (const record of event.Records) {
    const kind = toToldItem(record.dynamodb?.NewImage?.sk?.S);
    if (kind) changed.push({ kind, record });
    const due = kind === "CARD" && findTopUp?.(record.dynamodb?.NewImage);
    if (due) readable.push({ event: due, sequenceNumber: sequenceNumber(record) });
    if (kind && !hasEvent(record)) continue;
    const item = readItem(record);
    if (!item) {
      failed.add(sequenceNumber(record));
      break;
    }
    readable.push(item);
  }
  const notifying = readable.map(({ event }) => event).filter(isNotifying);
  const { fannedOut, untold } = await notify(notifying, changed);
  for (const record of untold) failed.add(sequenceNumber(record));
  const isForBus = ({ event }: StreamedEvent) =>
    publishedKinds.has(event.kind) || (isNotifying(event) && !fannedOut.has(event.eventId));
  failed.add(await publish(readable.filter(isForBus).map(toEntry)));
  const first = event.Records.find((record) => failed.has(record.dynamodb?.SequenceNumber));
  return { batchItemFailures: first ? [{ itemIdentifier: sequenceNumber(first) }] : [] };
}

/** An item has the event that it carries for as long as it is there. */
function hasEvent({ eventName, dynamodb }: DynamoDBRecord): boolean {
  return eventName === "INSERT" && dynamodb?.NewImage?.outbox !== undefined;
}

function readItem(record: DynamoDBRecord): StreamedEvent | undefined {
  const image = record.dynamodb?.NewImage as Record<string, AttributeValue> | undefined;
  const { success, data, error } = StoredEvent.safeParse(image && unmarshall(image));
  if (success) return { event: data, sequenceNumber: sequenceNumber(record) };
  log.error("The stored event is malformed.", { key: record.dynamodb?.Keys, issues: error.issues });
  return undefined;
}

/** The events whose deliveries are all in their queues, and the changes that could not be told. */
async function notify(notifying: readonly OutboxEvent[], changed: readonly ToldRecord[]) {
  if (notifying.length + changed.length === 0) return { fannedOut: new Set<string>(), untold: [] };
  // Imported when first needed, with the clients of table and queues.
  const delivery = await import("../../shared/notifications/delivery/delivery.ts");
  const readEndpoints = delivery.memoizeEndpoints();
  const [fannedOut, untold] = await Promise.all([
    notifying.length > 0
      ? (await import("./fan-out.ts")).fanOut(notifying, readEndpoints)
      : new Set<string>(),
    changed.length > 0 ? tell(changed, readEndpoints) : [],
  ]);
  return { fannedOut, untold };
}

async function tell(changed: readonly ToldRecord[], readEndpoints: ReadEndpoints) {
  const [{ tellChosen }, { notices }] = await Promise.all([
    import("./chosen/tell.ts"),
    import("./chosen/notices.ts"),
  ]);
  return tellChosen(changed, readEndpoints, notices);
}

function isNotifying(event: RelayedEvent): event is OutboxEvent {
  return "programId" in event && Array.isArray(event.detail.notificationIds);
}

function sequenceNumber(record: DynamoDBRecord): string {
  const number = record.dynamodb?.SequenceNumber;
  if (number === undefined) throw new Error("The stream record has no sequence number.");
  return number;
}

/**
 * `detail-type` is the event's kind, the detail is the whole event with its id; what is for others
 * has it flat.
 */
function toEntry({ event, sequenceNumber }: StreamedEvent): OutboxEntry {
  const { detail: fields, ...common } = event;
  const detail = JSON.stringify(forOutside.has(event.kind) ? { ...fields, ...common } : event);
  return {
    sequenceNumber,
    entry: {
      EventBusName: environment.eventBusName,
      Source: source,
      DetailType: event.kind,
      Detail: detail,
      Time: new Date(event.occurredAt),
    },
    // EventBridge's size of an entry: time, source, detail type and detail.
    bytes: timeBytes + Buffer.byteLength(source) + Buffer.byteLength(event.kind) + Buffer.byteLength(detail),
    ids: { ...event.cause, eventId: event.eventId },
  };
}

/** Returns the sequence number of the first rejected entry; sends nothing after it. */
async function publish(entries: readonly OutboxEntry[]): Promise<string | undefined> {
  for (const batch of toBatches(entries)) {
    const failed = await putBatch(batch);
    if (failed) return failed.sequenceNumber;
  }
  return undefined;
}

/** In order; each fits into one call. */
function toBatches(entries: readonly OutboxEntry[]): OutboxEntry[][] {
  const batches: OutboxEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const batch = batches.at(-1);
    if (batch && batch.length < maximumEntries && bytes + entry.bytes <= maximumBytes) {
      batch.push(entry);
      bytes += entry.bytes;
    } else {
      batches.push([entry]);
      bytes = entry.bytes;
    }
  }
  return batches;
}

/** Returns the first rejected entry: a successful call may still reject some. */
async function putBatch(batch: readonly OutboxEntry[]): Promise<OutboxEntry | undefined> {
  try {
    const answer = await eventBus.send(new PutEventsCommand({ Entries: batch.map(({ entry }) => entry) }));
    const published = answer.FailedEntryCount ? firstFailed(answer) : batch.length;
    for (const { ids, entry } of batch.slice(0, published)) {
      log.info("The event is on the bus.", { ...ids, kind: entry.DetailType });
    }
    const rejected = batch[published];
    if (rejected) {
      log.warn("The bus rejected entries.", {
        ...rejected.ids,
        count: answer.FailedEntryCount,
        code: answer.Entries?.[published]?.ErrorCode,
      });
    }
    return rejected;
  } catch (error) {
    log.warn("The bus could not be reached.", { ...batch[0]?.ids, error });
    return batch[0];
  }
}

function firstFailed({ Entries = [] }: PutEventsCommandOutput): number {
  return Math.max(
    Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined),
    0,
  );
}
