import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import {
  type OutboxEvent,
  publishedKinds,
  type RelayedEvent,
  toToldItem,
} from "../../shared/contract/outbox.ts";
import type { ReadEndpoints } from "../../shared/notifications/delivery/delivery.ts";
import { loadOnce } from "../../shared/platform/load-once.ts";
import { log } from "../../shared/platform/log.ts";
import { StoredEvent } from "../../shared/platform/outbox/carried-event.ts";
import { publish, type StreamedEvent } from "./bus.ts";
import type { ToldRecord } from "./chosen/tell.ts";

/** With the clients of table and queues. */
const sending = loadOnce(() =>
  Promise.all([import("../../shared/notifications/delivery/delivery.ts"), import("./fan-out.ts")]),
);
const loadChosen = loadOnce(() => Promise.all([import("./chosen/tell.ts"), import("./chosen/notices.ts")]));

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
  failed.add(await publish(readable.filter(isForBus)));
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
  const [{ memoizeEndpoints }, { fanOut }] = await sending();
  const readEndpoints = memoizeEndpoints();
  const [fannedOut, untold] = await Promise.all([
    notifying.length > 0 ? fanOut(notifying, readEndpoints) : new Set<string>(),
    changed.length > 0 ? tell(changed, readEndpoints) : [],
  ]);
  return { fannedOut, untold };
}

async function tell(changed: readonly ToldRecord[], readEndpoints: ReadEndpoints) {
  const [{ tellChosen }, { notices }] = await loadChosen();
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
