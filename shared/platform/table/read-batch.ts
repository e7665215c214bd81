import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { backOff } from "./back-off.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";

/** DynamoDB's own bound of one BatchGetItem. */
const batchSize = 100;

/** What is read, how consistently, and how often it is asked for what DynamoDB leaves out. */
interface BatchRead {
  readonly tableName: string;
  readonly consistent: boolean;
  readonly attempts: number;
}

type Item = Readonly<Record<string, unknown>>;

/** Items of the issuing table by distinct keys, consistently read unless that is not needed, in no order; those that do not exist are left out. */
export function readBatch(keys: readonly Key[], consistent = true): Promise<Item[]> {
  return readBatchOf({ tableName: environment.issuingTable, consistent, attempts: 8 }, keys);
}

/**
 * The same of any table.
 *
 * @throws Error `ThrottlingException` where keys are left after so many attempts: what was not read must not pass for what does not exist
 */
export async function readBatchOf(read: BatchRead, keys: readonly Key[]): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
    keys.slice(index * batchSize, (index + 1) * batchSize),
  );
  return (await Promise.all(batches.map((batch) => getBatch(read, batch)))).flat();
}

/** One batch whole: what DynamoDB leaves unprocessed is asked for again. */
async function getBatch({ tableName, consistent, attempts }: BatchRead, keys: Key[]): Promise<Item[]> {
  const items: Item[] = [];
  let pending: Key[] = keys;
  for (let attempt = 1; ; attempt += 1) {
    const { Responses, UnprocessedKeys } = await table.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { Keys: pending, ConsistentRead: consistent } } }),
    );
    items.push(...(Responses?.[tableName] ?? []));
    pending = (UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[];
    if (pending.length === 0) return items;
    if (attempt === attempts) throw new UnprocessedKeysError(attempts);
    await backOff(attempt);
  }
}

/** DynamoDB kept leaving keys unprocessed, as it does under throttling: the caller may retry. */
class UnprocessedKeysError extends Error {
  override readonly name = "ThrottlingException";

  constructor(attempts: number) {
    super(`DynamoDB is throttled: it left keys unprocessed ${attempts} times.`);
  }
}
