import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { backOff } from "./transact.ts";

/** DynamoDB's own bound of one BatchGetItem. */
const batchSize = 100;
const maximumAttempts = 8;

type Item = Readonly<Record<string, unknown>>;

/** Items of the issuing table by distinct keys, consistently read unless that is not needed, in no order; those that do not exist are left out. */
export async function readBatch(keys: readonly Key[], consistent = true): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
    keys.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => getBatch(batch, consistent)))).flat();
}

/** One batch whole: what DynamoDB leaves unprocessed is asked for again. */
async function getBatch(keys: Key[], consistent: boolean): Promise<Item[]> {
  const tableName = environment.issuingTable;
  const items: Item[] = [];
  let pending: Key[] = keys;
  for (let attempt = 1; ; attempt += 1) {
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: pending, ConsistentRead: consistent } } }),
    );
    items.push(...(Responses?.[tableName] ?? []));
    pending = (UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (pending.length === 0) return items;
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
