import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { accountsKey } from "../../platform/table/keys.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";
import { getProgramOf } from "../programs/program.ts";
import { type ApiUser, readApiUser, toApiUserView } from "./api-user.ts";
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
  const keys = [
    keyPut(keyHash, stored),
    keyEnd("previous key", found.keyHash, validUntil),
    ...(found.previous && found.previous.validUntil > actor.at
      ? [keyEnd("key from before", found.previous.keyHash, actor.at)]
      : []),
  ];
  if (!(await isCommitted("api-user.rotate", found, user, actor, keys)))
    throw new ApiError("ILLEGAL_TRANSITION");
  return { user, apiKey };
}

/**
 * Revokes an API user with all of its keys, one that is made meanwhile included: the very next request with one is refused. The first
 * revocation stands: when and by whom it happened is evidence.
 */
export function revokeApiUser(found: ApiUser, actor: Actor): Promise<ApiUser> {
  let current = found;
  return retry(async () => {
    if (current.revokedAt !== undefined) return current;
    const user: ApiUser = { ...current, revokedAt: actor.at, revokedBy: actor.by };
    const { keyHash, previous } = current;
    const hashes = [keyHash, ...(previous ? [previous.keyHash] : [])];
    const keys = hashes.map((hash, index) => keyRevocation(`key ${index}`, hash, actor));
    if (await isCommitted("api-user.revoke", current, user, actor, keys)) return user;
    current = (await readApiUser(found.tenantId, found.apiUserId)) ?? current;
    return new Conflict("api user");
  });
}

function keyed({ programId, currency }: Awaited<ReturnType<typeof getProgramOf>>) {
  return { programId, currency };
}

/** Nobody else may have changed it since it was read. */
async function isCommitted(
  action: AuditAction,
  found: ApiUser,
  user: ApiUser,
  actor: Actor,
  keys: readonly WriteAction[],
): Promise<boolean> {
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
  return outcome.committed;
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
