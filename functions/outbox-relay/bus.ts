import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsCommandOutput,
  type PutEventsRequestEntry,
} from "@aws-sdk/client-eventbridge";
import { outsideKinds, type RelayedEvent } from "../../shared/contract/outbox.ts";
import { environment } from "../../shared/platform/environment.ts";
import { type Correlation, log } from "../../shared/platform/log.ts";
import { requestLimits } from "../../shared/platform/request-limits.ts";

/** An event of the outbox, where it is in the table's stream. */
export interface StreamedEvent {
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

/** In order. Returns the sequence number of the first rejected event; sends nothing after it. */
export async function publish(events: readonly StreamedEvent[]): Promise<string | undefined> {
  for (const batch of toBatches(events.map(toEntry))) {
    const failed = await putBatch(batch);
    if (failed) return failed.sequenceNumber;
  }
  return undefined;
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
