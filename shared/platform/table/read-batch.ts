import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { Conflict, repeat } from "./retry.ts";

/** DynamoDB's own bound of one BatchGetItem. */
const batchSize = 100;

interface BatchRead {
  readonly tableName: string;
  readonly consistent: boolean;
}

type Item = Readonly<Record<string, unknown>>;

/** Distinct keys, any order; missing items are left out. Consistent reads by default. */
export function readBatch(keys: readonly Key[], consistent = true): Promise<Item[]> {
  return readBatchOf({ tableName: environment.issuingTable, consistent }, keys);
}

/**
 * For any table.
 * @throws Error `ThrottlingException` if DynamoDB keeps leaving keys out: unread must not pass for missing
 */
export async function readBatchOf(read: BatchRead, keys: readonly Key[]): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
    keys.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => getBatch(read, batch)))).flat();
}

/** Repeats what DynamoDB leaves unprocessed. */
async function getBatch({ tableName, consistent }: BatchRead, keys: Key[]): Promise<Item[]> {
  const items: Item[] = [];
  let pending: Key[] = keys;
  const { result } = await repeat(async () => {
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: pending, ConsistentRead: consistent } } }),
    );
    items.push(...(Responses?.[tableName] ?? []));
    pending = (UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    return pending.length === 0 ? items : new Conflict("batch");
  });
  if (result instanceof Conflict) throw new UnprocessedKeysError();
  return result;
}

/** DynamoDB kept leaving keys unprocessed, as it does under throttling: the caller may retry. */
class UnprocessedKeysError extends Error {
  override readonly name = "ThrottlingException";

  constructor() {
    super("DynamoDB is throttled: it kept leaving keys unprocessed.");
  }
}
