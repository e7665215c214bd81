import * as z from "zod";
import { now, timestamp, unixSeconds } from "./clock.ts";
import { ApiError } from "./http/api-error.ts";
import { log } from "./log.ts";
import { any, atMost, isNew } from "./table/condition.ts";
import { defineEntity } from "./table/entity.ts";
import {
  DoneBeforeError,
  type FailedConditions,
  type StoredItem,
  transact,
  type WriteAction,
  withOnce,
} from "./table/transact.ts";

/** A request's `Idempotency-Key`. It counts within its Program or Tenant, and its endpoint. */
export interface IdempotencyKey {
  /** Its method and path template. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of path parameters and validated body: another request has another. */
  readonly requestHash: string;
}

export const idempotencyRecords = defineEntity({
  name: "idempotency",
  schema: z.object({
    requestHash: z.string(),
    /** Absent until the request is answered, where it could not be known before. */
    answer: z.unknown().optional(),
    createdAt: z.string(),
    expiresAtSeconds: z.int(),
  }),
  key: (ownerId: string, endpoint: string, key: string) => ({
    pk: `${ownerId}#IDEMPOTENCY#${endpoint}#${key}`,
    sk: "IDEMPOTENCY",
  }),
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

interface StoredAnswer<A> {
  readonly answer: A;
}

/**
 * The answer of a request whose commit has failed; or without failed conditions, by a consistent
 * read, of a rejected one, which may be the repetition of one that changed the state.
 * @throws ApiError IDEMPOTENCY_MISMATCH if another request used the key
 */
export async function findStoredAnswer<A>(
  programId: string,
  key: IdempotencyKey,
  failed: FailedConditions | undefined,
): Promise<StoredAnswer<A> | undefined> {
  if (failed) return toStoredAnswer(key, failed.get("idempotency"));
  const found = await idempotencyRecords.at(programId, key.endpoint, key.key).get();
  const hasExpired = found && found.expiresAtSeconds <= Math.floor(now().getTime() / 1000);
  return hasExpired ? undefined : toStoredAnswer(key, found);
}

/** @throws ApiError IDEMPOTENCY_MISMATCH if the record is another request's */
function toStoredAnswer<A>(key: IdempotencyKey, stored: StoredItem): StoredAnswer<A> | undefined {
  const found = idempotencyRecords.parse(stored);
  if (!found) return undefined;
  if (found.requestHash !== key.requestHash) throw new ApiError("IDEMPOTENCY_MISMATCH");
  // The record's key contains the endpoint, which fixes the form of the answer.
  return { answer: found.answer as A };
}

/** Longer than any request takes. */
const inProgressMs = 60_000;

/**
 * Creates what a request asks for, once. Its first transaction takes the key along, so that a
 * process that ends before the answer is kept cannot lead to a second one. The answer is kept
 * afterwards; of one with a secret, only the field that names what was created.
 * @throws ApiError IDEMPOTENCY_MISMATCH if another request used the key; IDEMPOTENCY_IN_PROGRESS;
 * ALREADY_CREATED if the answer is not kept
 */
export async function createOnce<A>(
  ownerId: string,
  key: IdempotencyKey,
  keptField: string | undefined,
  create: () => Promise<A>,
): Promise<A> {
  const at = now();
  const once = { write: idempotencyPut(ownerId, key, undefined, at), isWritten: false };
  let answer: A;
  try {
    answer = await withOnce(once, create);
  } catch (error) {
    if (error instanceof DoneBeforeError) return firstAnswer<A>(key, error.stored, keptField);
    // What the first request created may be why this one is refused.
    if (once.isWritten || !(error instanceof ApiError)) throw error;
    const stored = await idempotencyRecords.at(ownerId, key.endpoint, key.key).get();
    if (!stored || stored.expiresAtSeconds <= Math.floor(at.getTime() / 1000)) throw error;
    return firstAnswer<A>(key, stored, keptField);
  }
  if (once.isWritten) await keepAnswer(ownerId, key, at, keptField ? pick(answer, keptField) : answer);
  return answer;
}

/** It is the first answer's last step: without it, a repetition is told that it was done. */
async function keepAnswer(ownerId: string, key: IdempotencyKey, at: Date, answer: unknown): Promise<void> {
  const { requestHash } = key;
  const record = { requestHash, answer, createdAt: timestamp(at) };
  const expiresAtSeconds = unixSeconds(at) + lifetimeSeconds;
  const stored = idempotencyRecords.at(ownerId, key.endpoint, key.key);
  try {
    await transact([stored.put({ ...record, expiresAtSeconds })]);
  } catch (error) {
    log.warn("An answer is not kept.", { error });
  }
}

function firstAnswer<A>(key: IdempotencyKey, stored: StoredItem, keptField: string | undefined): A {
  const found = idempotencyRecords.parse(stored);
  const answer = toStoredAnswer<A>(key, stored)?.answer;
  const isRecent = found && now().getTime() - Date.parse(found.createdAt) < inProgressMs;
  if (answer === undefined) throw new ApiError(isRecent ? "IDEMPOTENCY_IN_PROGRESS" : "ALREADY_CREATED");
  if (keptField === undefined) return answer;
  const message = `created ${keptField} ${answer}`;
  throw new ApiError("ALREADY_CREATED", [{ path: "header.Idempotency-Key", code: "created", message }]);
}

function pick(answer: unknown, field: string): unknown {
  return (answer as Record<string, unknown>)[field];
}
