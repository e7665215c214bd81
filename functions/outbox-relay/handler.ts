import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { RelayedEvent } from "../../shared/contract/outbox.ts";
import { log } from "../../shared/platform/log.ts";
import { type OutboxEntry, toEntry } from "./outbox-entry.ts";
import { publish } from "./publish.ts";

/**
 * Publishes the outbox items that the stream brings, in the stream's order. Stops at the first that the bus does not
 * take or that is malformed, and has the stream bring it and those after it again: consumers deduplicate by
 * `eventId`.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const readable: OutboxEntry[] = [];
  let firstUnreadable: string | undefined;
  for (const record of event.Records) {
    const entry = readEntry(record);
    if (!entry) {
      firstUnreadable = sequenceNumber(record);
      break;
    }
    readable.push(entry);
  }
  const failed = (await publish(readable)) ?? firstUnreadable;
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] };
}

function readEntry(record: DynamoDBRecord): OutboxEntry | undefined {
  const image = record.dynamodb?.NewImage as Record<string, AttributeValue> | undefined;
  const parsed = RelayedEvent.safeParse(image && unmarshall(image));
  if (parsed.success) return toEntry(parsed.data, sequenceNumber(record));
  log.error("The outbox item is malformed.", { key: record.dynamodb?.Keys, issues: parsed.error.issues });
  return undefined;
}

function sequenceNumber(record: DynamoDBRecord): string {
  const number = record.dynamodb?.SequenceNumber;
  if (number === undefined) throw new Error("The stream record has no sequence number.");
  return number;
}
