import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { now, timestamp, unixSeconds } from "../clock.ts";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { issuingKey } from "../table/keys.ts";
import type { StoredItem, WriteAction } from "../table/transact.ts";
import type { IdempotencyKey } from "./idempotency-key.ts";

const lifetimeSeconds = 24 * 3600;

/** An idempotency key together with the answer that its repetitions get. */
export interface KeptAnswer<A> {
  readonly key: IdempotencyKey;
  readonly answer: A;
}

/**
 * Keeps the answer under its key for 24 hours, in the transaction that it is the answer to. A row that has outlived them counts as absent,
 * since the table deletes it only some time later.
 */
export function idempotencyPut<A>(programId: string, { key, answer }: KeptAnswer<A>, at: Date): WriteAction {
  const nowSeconds = Math.floor(at.getTime() / 1000);
  return {
    name: "idempotency",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.idempotency(programId, key.endpoint, key.key),
        requestHash: key.requestHash,
        answer,
        createdAt: timestamp(at),
        expiresAtSeconds: unixSeconds(at) + lifetimeSeconds,
      },
      ConditionExpression: "attribute_not_exists(pk) OR expiresAtSeconds <= :now",
      ExpressionAttributeValues: { ":now": nowSeconds },
    },
  };
}

/** What a repetition of a request is answered. */
export type Replay<A> = { outcome: "replay"; answer: A } | { outcome: "mismatch" };

/** Reads a transaction's refusals: whether the key was used before, by this very request or by another. */
export function replayOf<A>(
  { key }: KeptAnswer<A>,
  refusals: ReadonlyMap<string, StoredItem>,
): Replay<A> | undefined {
  return replayFrom(key, refusals.get("idempotency"));
}

/**
 * Looks up whether the key was used before: for a request that is refused before it could write, as its repetition is once the first has
 * changed the state. Consistently read.
 */
export async function readReplay<A>(programId: string, key: IdempotencyKey): Promise<Replay<A> | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.idempotency(programId, key.endpoint, key.key),
      ConsistentRead: true,
    }),
  );
  const outlived = Item && (Item.expiresAtSeconds as number) <= Math.floor(now().getTime() / 1000);
  return replayFrom(key, outlived ? undefined : Item);
}

function replayFrom<A>(key: IdempotencyKey, row: StoredItem): Replay<A> | undefined {
  if (!row) return undefined;
  if (row.requestHash !== key.requestHash) return { outcome: "mismatch" };
  // The row's key holds the endpoint, so that its answer has the form of this endpoint's answers.
  return { outcome: "replay", answer: row.answer as A };
}
