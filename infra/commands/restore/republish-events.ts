import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { StoredEvent } from "../../../shared/platform/outbox/carried-event.ts";
import { eventPut } from "../../../shared/platform/outbox/outbox-put.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { type Item, scan } from "../audit/scan.ts";

/**
 * Another table's stream did not relay them: resends all events since then. Copies them, since the
 * relay rejects old records; consumers deduplicate by event id.
 */
export async function republishEvents(from: Date): Promise<number> {
  const since = from.toISOString();
  const suffix = `#${timestamp()}`;
  const malformed: string[] = [];
  let count = 0;
  const TableName = environment.issuingTable;
  const items = scan(table, TableName, {
    FilterExpression: "(sk = :outbox AND occurredAt >= :since) OR attribute_exists(outbox)",
    ExpressionAttributeValues: { ":outbox": "OUTBOX", ":since": since },
  });
  for await (const item of items) {
    const event = item.outbox === undefined ? item : toOutboxItem(item);
    if (!event) {
      malformed.push(`${item.pk} ${item.sk}`);
      continue;
    }
    const { pk, eventId, occurredAt } = event as Readonly<Record<string, unknown>>;
    if (!String(pk).endsWith(String(eventId)) || String(occurredAt) < since) continue;
    await table.send(new PutCommand({ TableName, Item: { ...event, pk: `${pk}${suffix}` } }));
    count += 1;
  }
  if (malformed.length > 0) {
    throw new Error(`${count} events are sent again. Malformed are those of ${malformed.join(", ")}.`);
  }
  return count;
}

/** Undefined if the event that the item carries is malformed. */
function toOutboxItem(item: Item) {
  const { data } = StoredEvent.safeParse(item);
  return data && "programId" in data ? eventPut(data.programId, data).Put.Item : undefined;
}
