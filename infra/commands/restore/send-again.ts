import { PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";

/** The relay gives a record up after 12 hours, and the stream keeps it for 24. */
const unrelayedMs = 24 * 3_600_000;

/**
 * Sends every event again that may have been on its way at that time: a restored table's stream is empty. Each call writes a
 * copy of each outbox item under a new key, since the relay takes no record older than 12 hours. Consumers and receivers
 * recognize events by their ids. Returns how many there are.
 */
export async function sendAgain(to: Date): Promise<number> {
  const since = new Date(to.getTime() - unrelayedMs).toISOString();
  const suffix = `#${timestamp()}`;
  let count = 0;
  const scan = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    FilterExpression: "sk = :outbox AND occurredAt >= :since",
    ExpressionAttributeValues: { ":outbox": "OUTBOX", ":since": since },
  };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) {
    for (const item of Items) {
      const pk = String(item.pk);
      if (!pk.endsWith(item.eventId as string)) continue;
      const Item = { ...item, pk: `${pk}${suffix}` };
      await table.send(new PutCommand({ TableName: environment.issuingTable, Item }));
      count += 1;
    }
  }
  return count;
}
