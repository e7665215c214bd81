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
 * Keeps the answer under its key for 24 hours, in the transaction that it answers. A row that is older counts as
 * absent, since the table deletes it only some time later.
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

/** The first answer to a request that is repeated. */
export interface Replay<A> {
  readonly answer: A;
}

/**
 * Whether the request was answered before, consistently read. For a request that is rejected before it could write, as
 * a repetition is once the first request has changed the state.
 *
 * @throws ApiError IDEMPOTENCY_MISMATCH when another request has used the key.
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
 * The answer that the row keeps, if there is a row.
 *
 * @throws ApiError IDEMPOTENCY_MISMATCH when it is the row of another request.
 */
export function replayOf<A>(key: IdempotencyKey, row: StoredItem): Replay<A> | undefined {
  if (!row) return undefined;
  if (row.requestHash !== key.requestHash) throw new ApiError("IDEMPOTENCY_MISMATCH");
  // The row's key holds the endpoint, so that its answer has the form of this endpoint's answers.
  return { answer: row.answer as A };
}
