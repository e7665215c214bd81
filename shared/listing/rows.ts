import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import type { Key } from "../table/keys.ts";
import { backOff } from "../table/transact.ts";
import type { Listing, StoredRecord } from "./listing.ts";

/** DynamoDB's own bound of one BatchGetItem. */
const batchSize = 100;
const maximumAttempts = 8;

/**
 * The page's records with all their attributes. The index projects only what a list filters and orders by; what it showed stays as
 * it was matched, so that no row contradicts the filter or the order that it was found with.
 */
export async function completeRecords(
  records: Listing["records"],
  page: StoredRecord[],
): Promise<StoredRecord[]> {
  if (!("collection" in records)) return page;
  const keys = page.map(({ pk, sk }) => ({ pk, sk }) as Key);
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
    keys.slice(index * batchSize, (index + 1) * batchSize),
  );
  const rows = new Map<unknown, StoredRecord>();
  for (const row of (await Promise.all(batches.map(getBatch))).flat()) rows.set(row.pk, row);
  return page.map((indexed) => ({ ...rows.get(indexed.pk), ...indexed }));
}

/** One batch whole: what DynamoDB leaves unprocessed is asked for again. */
async function getBatch(keys: Key[]): Promise<StoredRecord[]> {
  const tableName = environment.issuingTable;
  const rows: StoredRecord[] = [];
  let pending: Key[] = keys;
  for (let attempt = 1; ; attempt += 1) {
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: pending, ConsistentRead: true } } }),
    );
    rows.push(...(Responses?.[tableName] ?? []));
    pending = (UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (pending.length === 0) return rows;
    if (attempt === maximumAttempts) throw new UnprocessedKeysError();
    await backOff(attempt);
  }
}

/** DynamoDB kept leaving keys unprocessed, as it does under throttling: the caller may retry. */
class UnprocessedKeysError extends Error {
  override readonly name = "ThrottlingException";

  constructor() {
    super(`DynamoDB left keys unprocessed ${maximumAttempts} times.`);
  }
}
