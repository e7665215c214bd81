import { ApiError } from "../api-error.ts";
import { environment } from "../environment.ts";
import { getProgramOf } from "../program/program.ts";
import { accountsKey } from "../table/keys.ts";
import { transact, type WriteAction } from "../table/transact.ts";
import { type ApiUser, toApiUserView } from "./api-user.ts";
import { type Actor, type AuditAction, auditPut } from "./audit.ts";
import { keyPut, newKey } from "./new-api-user.ts";

/**
 * Replaces an API user's key. The one from before works beside it for `overlapSeconds`, by the clock; one from before that ends now, so that
 * there are never more than two.
 *
 * @throws ApiError ILLEGAL_TRANSITION when it is revoked, or rotated or revoked by another request meanwhile
 */
export async function rotateKey(
  found: ApiUser,
  overlapSeconds: number,
  actor: Actor,
): Promise<{ readonly user: ApiUser; readonly apiKey: string }> {
  if (found.revokedAt !== undefined) throw new ApiError("ILLEGAL_TRANSITION");
  const { tenantId, programId } = found;
  const program = programId === undefined ? undefined : await getProgramOf(tenantId, programId);
  const { apiKey, keyHash, stored } = await newKey(found, program && keyed(program), actor);
  const validUntil = new Date(Date.parse(actor.at) + overlapSeconds * 1000).toISOString();
  const user: ApiUser = {
    ...found,
    keyHash,
    previous: { keyHash: found.keyHash, validUntil },
    rotatedAt: actor.at,
  };
  await commit("api-user.rotate", found, user, actor, [
    keyPut(keyHash, stored),
    keyEnd("previous key", found.keyHash, validUntil),
    ...(found.previous && found.previous.validUntil > actor.at
      ? [keyEnd("key from before", found.previous.keyHash, actor.at)]
      : []),
  ]);
  return { user, apiKey };
}

/**
 * Revokes an API user with all of its keys: the very next request with one is refused. The first revocation stands: when and by whom it happened
 * is evidence.
 *
 * @throws ApiError ILLEGAL_TRANSITION when its key is rotated meanwhile: the new one would have been missed
 */
export async function revokeApiUser(found: ApiUser, actor: Actor): Promise<ApiUser> {
  if (found.revokedAt !== undefined) return found;
  const user: ApiUser = { ...found, revokedAt: actor.at, revokedBy: actor.by };
  const hashes = [found.keyHash, ...(found.previous ? [found.previous.keyHash] : [])];
  await commit(
    "api-user.revoke",
    found,
    user,
    actor,
    hashes.map((keyHash, index) => keyRevocation(`key ${index}`, keyHash, actor)),
  );
  return user;
}

function keyed({ programId, currency }: Awaited<ReturnType<typeof getProgramOf>>) {
  return { programId, currency };
}

async function commit(
  action: AuditAction,
  found: ApiUser,
  user: ApiUser,
  actor: Actor,
  keys: readonly WriteAction[],
): Promise<void> {
  const { tenantId, programId, apiUserId } = found;
  const outcome = await transact([
    {
      name: "api user",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.apiUser(tenantId, apiUserId), ...user },
        ConditionExpression: "keyHash = :found AND attribute_not_exists(revokedAt)",
        ExpressionAttributeValues: { ":found": found.keyHash },
      },
    },
    ...keys,
    auditPut(
      {
        tenantId,
        programId,
        action,
        subjectId: apiUserId,
        before: toApiUserView(found),
        after: toApiUserView(user),
      },
      actor,
    ),
  ]);
  if (!outcome.committed) throw new ApiError("ILLEGAL_TRANSITION");
}

function keyEnd(name: string, keyHash: string, validUntil: string): WriteAction {
  return {
    name,
    Update: {
      TableName: environment.accountsTable,
      Key: accountsKey.apiKey(keyHash),
      UpdateExpression: "SET validUntil = :until",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":until": validUntil },
    },
  };
}

function keyRevocation(name: string, keyHash: string, actor: Actor): WriteAction {
  return {
    name,
    Update: {
      TableName: environment.accountsTable,
      Key: accountsKey.apiKey(keyHash),
      UpdateExpression: "SET revokedAt = :at, revokedBy = :by",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":at": actor.at, ":by": actor.by },
    },
  };
}
