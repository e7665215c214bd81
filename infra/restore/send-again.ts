import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import { restoreStamp } from "./names.ts";

/** What a stream may not have relayed yet: the relay gives a record up after 12 hours, and its stream keeps it for 24. */
const unrelayedMs = 24 * 3_600_000;

/**
 * Has the stream of a restored table bring every event again that may have been on its way at that time: a restored table's stream is empty.
 * Each outbox item gets a copy under a key of its own, once however often this is repeated. Consumers and receivers know events by their
 * ids. Returns how many there are.
 */
export async function sendAgain(to: Date): Promise<number> {
  const since = new Date(to.getTime() - unrelayedMs).toISOString();
  const suffix = `#${restoreStamp(to.toISOString())}`;
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
      await putOnce({ ...item, pk: `${pk}${suffix}` });
      count += 1;
    }
  }
  return count;
}

async function putOnce(Item: Record<string, unknown>): Promise<void> {
  try {
    await table.send(
      new PutCommand({
        TableName: environment.issuingTable,
        Item,
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
