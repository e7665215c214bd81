import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { now, timestamp, unixSeconds } from "../clock.ts";
import { environment } from "../environment.ts";
import { ApiError } from "../http/api-error.ts";
import { table } from "../table/client.ts";
import { issuingKey } from "../table/keys.ts";
import type { StoredItem, WriteAction } from "../table/transact.ts";
import type { IdempotencyKey } from "./idempotency-key.ts";

const lifetimeSeconds = 24 * 3600;

/**
 * Keeps the answer for 24 hours, in the transaction it answers. An older row counts as absent, since the
 * table deletes it late.
 */
export function idempotencyPut(
  programId: string,
  { endpoint, key, requestHash }: IdempotencyKey,
  answer: unknown,
  at: Date,
): WriteAction {
  return {
    name: "idempotency",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.idempotency(programId, endpoint, key),
        requestHash,
        answer,
        createdAt: timestamp(at),
        expiresAtSeconds: unixSeconds(at) + lifetimeSeconds,
      },
      ConditionExpression: "attribute_not_exists(pk) OR expiresAtSeconds <= :now",
      ExpressionAttributeValues: { ":now": Math.floor(at.getTime() / 1000) },
    },
  };
}

/** The first answer, for a repetition. */
export interface Replay<A> {
  readonly answer: A;
}

/**
 * Consistent read. For a rejected request, which may be the repetition of one that changed the state.
 * @throws ApiError IDEMPOTENCY_MISMATCH if another request used the key
 */
export async function readReplay<A>(programId: string, key: IdempotencyKey): Promise<Replay<A> | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.idempotency(programId, key.endpoint, key.key),
      ConsistentRead: true,
    }),
  );
  const hasExpired = Item && (Item.expiresAtSeconds as number) <= Math.floor(now().getTime() / 1000);
  return hasExpired ? undefined : replayOf(key, Item);
}

/**
 * Undefined without a row.
 * @throws ApiError IDEMPOTENCY_MISMATCH if the row is another request's
 */
export function replayOf<A>(key: IdempotencyKey, row: StoredItem): Replay<A> | undefined {
  if (!row) return undefined;
  if (row.requestHash !== key.requestHash) throw new ApiError("IDEMPOTENCY_MISMATCH");
  // The row's key holds the endpoint, so that its answer has the form of this endpoint's answers.
  return { answer: row.answer as A };
}
