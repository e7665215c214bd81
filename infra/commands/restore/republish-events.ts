import { PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";

/** The stream keeps records for 24 hours; the relay accepts them for 12. */
const unrelayedMs = 24 * 3_600_000;

/**
 * A restored table's stream is empty: resends all events that may have been unpublished at `to`.
 * Copies outbox items, since the relay rejects old records; consumers deduplicate by event id.
 */
export async function republishEvents(to: Date): Promise<number> {
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
