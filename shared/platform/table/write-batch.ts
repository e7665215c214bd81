import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { Conflict, repeat } from "./retry.ts";

/** DynamoDB's own bound of one BatchWriteItem. */
const batchSize = 25;
/** Calls under way at a time. */
const lanes = 4;

/** One write of a batch: an item, or the key of one that goes. */
export type BatchWrite = { readonly put: Key } | { readonly remove: Key };

/** For items that nobody reads yet or any more: unordered, not atomic. */
export async function writeBatch(writes: Iterable<BatchWrite>): Promise<void> {
  const batches = inBatches(writes);
  const lane = async () => {
    for (const batch of batches) await putBatch(batch);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function* inBatches(writes: Iterable<BatchWrite>): Generator<BatchWrite[]> {
  let batch: BatchWrite[] = [];
  for (const write of writes) {
    if (batch.push(write) < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Repeats what DynamoDB leaves unprocessed. */
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
