import * as z from "zod";
import { now, timestamp, unixSeconds } from "./clock.ts";
import { ApiError } from "./http/api-error.ts";
import { any, atMost, isNew } from "./table/condition.ts";
import { defineEntity } from "./table/entity.ts";
import { issuingKey } from "./table/keys.ts";
import type { StoredItem, WriteAction } from "./table/transact.ts";

/** The `Idempotency-Key` of a funds-moving request. It counts within its Program and endpoint. */
export interface IdempotencyKey {
  /** Method and path template, for example `POST /wallets/transfer`. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of path parameters and validated body: another request has another. */
  readonly requestHash: string;
}

const idempotencyRecords = defineEntity({
  name: "idempotency",
  table: "issuing",
  schema: z.object({
    requestHash: z.string(),
    answer: z.unknown(),
    createdAt: z.string(),
    expiresAtSeconds: z.int(),
  }),
  key: issuingKey.idempotency,
});

const lifetimeSeconds = 24 * 3600;

/**
 * Keeps the answer for 24 hours, in the transaction it answers. An older record counts as absent,
 * since the table deletes it late.
 */
export function idempotencyPut(
  programId: string,
  { endpoint, key, requestHash }: IdempotencyKey,
  answer: unknown,
  at: Date,
): WriteAction {
  const expiresAtSeconds = unixSeconds(at) + lifetimeSeconds;
  const hasExpired = { expiresAtSeconds: atMost(Math.floor(at.getTime() / 1000)) };
  return idempotencyRecords
    .at(programId, endpoint, key)
    .put({ requestHash, answer, createdAt: timestamp(at), expiresAtSeconds }, any(isNew, hasExpired));
}

export interface StoredAnswer<A> {
  readonly answer: A;
}

/**
 * Consistent read. For a rejected request, which may be the repetition of one that changed the
 * state.
 * @throws ApiError IDEMPOTENCY_MISMATCH if another request used the key
 */
export async function readStoredAnswer<A>(
  programId: string,
  key: IdempotencyKey,
): Promise<StoredAnswer<A> | undefined> {
  const found = await idempotencyRecords.at(programId, key.endpoint, key.key).get();
  const hasExpired = found && found.expiresAtSeconds <= Math.floor(now().getTime() / 1000);
  return hasExpired ? undefined : toStoredAnswer(key, found);
}

/** @throws ApiError IDEMPOTENCY_MISMATCH if the record is another request's */
export function toStoredAnswer<A>(key: IdempotencyKey, stored: StoredItem): StoredAnswer<A> | undefined {
  const found = idempotencyRecords.parse(stored);
  if (!found) return undefined;
  if (found.requestHash !== key.requestHash) throw new ApiError("IDEMPOTENCY_MISMATCH");
  // The record's key contains the endpoint, which fixes the form of the answer.
  return { answer: found.answer as A };
}
