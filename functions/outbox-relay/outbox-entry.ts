import type { PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import type { RelayedEvent } from "../../shared/contract/outbox.ts";
import type { Correlation } from "../../shared/platform/correlation.ts";
import { environment } from "../../shared/platform/environment.ts";

/** An event as the bus takes it, with the stream record that it came from. */
export interface OutboxEntry {
  readonly sequenceNumber: string;
  readonly entry: PutEventsRequestEntry;
  readonly bytes: number;
  readonly ids: Correlation;
}

const source = "card-issuing-platform";
const timeBytes = 14;

/** The event for the bus: `detail-type` is its kind, the detail is the whole event with its id. */
export function toEntry(event: RelayedEvent, sequenceNumber: string): OutboxEntry {
  const detail = JSON.stringify(event);
  return {
    sequenceNumber,
    entry: {
      EventBusName: environment.eventBusName,
      Source: source,
      DetailType: event.kind,
      Detail: detail,
      Time: new Date(event.occurredAt),
    },
    // As EventBridge counts an entry's size: time, source, detail type and detail.
    bytes: timeBytes + Buffer.byteLength(source) + Buffer.byteLength(event.kind) + Buffer.byteLength(detail),
    ids: { ...event.cause, eventId: event.eventId },
  };
}

/** The bounds of one PutEvents call. */
const maximumEntries = 10;
const maximumBytes = 256 * 1024;

/** Cuts the entries, in their order, into groups that one call can take. */
export function inBatches(entries: readonly OutboxEntry[]): OutboxEntry[][] {
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
