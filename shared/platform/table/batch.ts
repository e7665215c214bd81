import { BatchGetCommand, BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { inLanes } from "../in-lanes.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { Conflict, repeat } from "./retry.ts";

/** DynamoDB's limits of one call. */
const maximumReads = 100;
const maximumWrites = 25;
/** Calls under way at a time, of one batch: more would hold up other callers. */
const lanes = 4;

interface BatchRead {
  readonly tableName: string;
  readonly consistent: boolean;
}

type Item = Readonly<Record<string, unknown>>;

/** Takes distinct keys; returns the items in any order, without missing ones. */
export function readBatch(keys: readonly Key[], consistent = true): Promise<Item[]> {
  return readBatchOf({ tableName: environment.issuingTable, consistent }, keys);
}

/** Reads any table. @throws Error `ThrottlingException` if DynamoDB keeps leaving keys unread */
export async function readBatchOf(read: BatchRead, keys: readonly Key[]): Promise<Item[]> {
  const batches = inBatches(keys, maximumReads);
  return (await inLanes(batches, (batch) => getOnce(read, batch), lanes)).flat();
}

/** Repeats what DynamoDB leaves unprocessed. */
async function getOnce({ tableName, consistent }: BatchRead, keys: Key[]): Promise<Item[]> {
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
  if (!(result instanceof Conflict)) return result;
  const error = new Error("DynamoDB is throttled: it kept leaving keys unprocessed.");
  throw Object.assign(error, { name: "ThrottlingException" });
}

/** An item, or the key of one to delete. */
export type BatchWrite = { readonly put: Key } | { readonly remove: Key };

/** Unordered, without conditions and not atomic: for items that need none of it. */
export async function writeBatch(writes: Iterable<BatchWrite>): Promise<void> {
  await inLanes(inBatches(writes, maximumWrites), putBatch, lanes);
}

function* inBatches<T>(all: Iterable<T>, most: number): Generator<T[]> {
  let batch: T[] = [];
  for (const one of all) {
    if (batch.push(one) < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function putBatch(batch: readonly BatchWrite[]): Promise<void> {
  const tableName = environment.issuingTable;
  let pending: Record<string, unknown>[] = batch.map((write) =>
    "put" in write ? { PutRequest: { Item: write.put } } : { DeleteRequest: { Key: write.remove } },
  );
  const { result } = await repeat(async () => {
    const { UnprocessedItems } = await table.send(
      new BatchWriteCommand({ RequestItems: { [tableName]: pending } }),
    );
    pending = UnprocessedItems?.[tableName] ?? [];
    return pending.length === 0 ? undefined : new Conflict("batch");
  });
  if (result) throw new Error("DynamoDB kept leaving writes unprocessed.");
}
