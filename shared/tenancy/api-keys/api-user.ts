import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { ApiUserView } from "../../contract/account-access.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { namesOf, type Rights } from "../../contract/roles.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { ApiError, statusError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { pick } from "../../platform/pick.ts";
import { absent, exists } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";
import type { Program } from "../programs/program.ts";
import { getTenantProgram, programExists } from "../programs/tenant-program.ts";
import { tenantExists } from "../tenant.ts";
import { type ApiKey, apiKeys, hashNewKey, holderFields, newApiKey } from "./api-key.ts";

/** A Tenant's keys: their holder, and the hashes under which they are stored. */
export const ApiUser = z.object({
  /** As its keys have it, so that one read of a key says all. */
  ...holderFields,
  level: z.enum(["program", "tenant"]),
  programId: id("program").optional(),
  /** Counts the changes of name and role. */
  revision: z.number().optional(),
  keyHash: z.string(),
  /** Names the pepper of the key's hash. */
  pepper: z.string(),
  /** The key from before the last rotation; it may work still. */
  previous: z.object({ keyHash: z.string(), pepper: z.string(), validUntil: timestamp }).optional(),
  rotatedAt: timestamp.optional(),
});
export type ApiUser = z.output<typeof ApiUser>;

export const apiUsers = defineEntity({
  name: "api user",
  table: "accounts",
  schema: ApiUser,
  key: (tenantId: string, apiUserId: string) => ({ pk: tenantId, sk: `API_USER#${apiUserId}` }),
});

/** The API user as it is answered, and as the audit log keeps it: without any hash. */
export function toApiUserView(user: ApiUser): ApiUserView {
  const { role = "everything", previous, revokedAt } = user;
  const overlaps = previous && revokedAt === undefined && timestampOf() < previous.validUntil;
  return {
    ...pick(user, "apiUserId", "level", "programId", "name"),
    ...{ role, operations: user.operations },
    dateCreated: user.createdAt,
    dateRotated: user.rotatedAt,
    previousKeyExpiresAt: overlaps ? previous.validUntil : undefined,
    dateRevoked: revokedAt,
  };
}

export type KeyOfProgram = Pick<Program, "programId" | "currency">;

interface NewApiUser {
  readonly user: ApiUser;
  /** Answered once, stored nowhere. */
  readonly apiKey: string;
  /** Requires the Tenant, or its Program, for callers whose transaction does not write it. */
  readonly ownerExists: WriteAction;
  readonly writes: readonly WriteAction[];
}

/** What whoever makes a key says of it. */
interface Named extends Rights {
  readonly name: string;
}

/**
 * Program-level with a Program, else Tenant-level.
 * @throws ApiError VALIDATION_FAILED for an unknown operation
 */
export async function newApiUser(
  tenantId: string,
  program: KeyOfProgram | undefined,
  named: Named,
  actor: Actor,
): Promise<NewApiUser> {
  const apiUserId = newId("apiUser");
  const { name } = named;
  const rights = toStored(named);
  await requireKnown(rights);
  const { apiKey, stored, ...hash } = await newKey({ tenantId, apiUserId, name, ...rights }, program, actor);
  const programId = program?.programId;
  const created = { createdAt: actor.at, createdBy: actor.by };
  const ids = { tenantId, apiUserId, level: stored.level, programId };
  const user: ApiUser = { ...ids, name, ...rights, ...hash, ...created };
  const subject = { tenantId, programId, action: "api-user.create", subjectId: apiUserId } as const;
  return {
    user,
    apiKey,
    ownerExists: programId ? programExists(tenantId, programId) : tenantExists(tenantId),
    writes: [
      apiKeys.at(hash.keyHash).create(stored),
      apiUsers.at(tenantId, apiUserId).create(user),
      auditPut(actor, { ...subject, before: null, after: toApiUserView(user) }),
    ],
  };
}

function toStored({ role, operations }: Rights) {
  return role === undefined || role === "everything"
    ? {}
    : { role, ...(operations && { operations: [...operations] }) };
}

/** Imports every endpoint's contract: only who makes a `custom` key waits for it. */
async function requireKnown({ operations = [] }: Rights): Promise<void> {
  if (operations.length === 0) return;
  const { routes } = await import("../../contract/routes.ts");
  const known = new Set(routes.flatMap(namesOf));
  const faults = operations.flatMap((one, index) =>
    known.has(one) ? [] : [{ path: `body.operations.${index}`, code: "unknown_operation", message: unknown }],
  );
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
}

const unknown = "must be the id of an operation, or a resource's name with :read or :*, such as cards:read";

async function newKey(
  { tenantId, apiUserId, name, role, operations }: Pick<ApiUser, "tenantId" | "apiUserId" | "name"> & Rights,
  program: KeyOfProgram | undefined,
  actor: Actor,
) {
  const apiKey = newApiKey();
  const rights = toStored({ role, operations });
  const common = { tenantId, apiUserId, name, ...rights, createdAt: actor.at, createdBy: actor.by };
  const stored: ApiKey = program
    ? { ...common, level: "program", programId: program.programId, currency: program.currency }
    : { ...common, level: "tenant" };
  return { apiKey, stored, ...(await hashNewKey(apiKey)) };
}

/**
 * The previous key works for `overlapSeconds` more; an older one ends now, so there are never more
 * than two.
 * @throws ApiError ILLEGAL_TRANSITION if revoked, or changed by another request meanwhile
 */
export async function rotateKey(
  found: ApiUser,
  overlapSeconds: number,
  actor: Actor,
): Promise<{ readonly user: ApiUser; readonly apiKey: string }> {
  if (found.revokedAt !== undefined) throw statusError("revoked", ["active"]);
  const { tenantId, programId } = found;
  const program = programId === undefined ? undefined : await getTenantProgram(tenantId, programId);
  const { apiKey, stored, keyHash, pepper } = await newKey(found, program, actor);
  const validUntil = new Date(Date.parse(actor.at) + overlapSeconds * 1000).toISOString();
  const user: ApiUser = {
    ...found,
    ...{ keyHash, pepper },
    previous: { keyHash: found.keyHash, pepper: found.pepper, validUntil },
    rotatedAt: actor.at,
  };
  const keys = [
    apiKeys.at(keyHash).create(stored),
    changeKey("previous key", found.keyHash, { set: { validUntil } }),
    ...(found.previous && found.previous.validUntil > actor.at
      ? [changeKey("key from before", found.previous.keyHash, { set: { validUntil: actor.at } })]
      : []),
  ];
  if (!(await commitApiUser("api-user.rotate", found, user, actor, keys)))
    throw new ApiError("ILLEGAL_TRANSITION");
  return { user, apiKey };
}

/**
 * Revokes all of its keys, including one made meanwhile; the next request with one is rejected. A
 * second revocation changes nothing: the first one's time and author are evidence.
 */
export function revokeApiUser(found: ApiUser, actor: Actor): Promise<ApiUser> {
  let current = found;
  return retry(async () => {
    if (current.revokedAt !== undefined) return current;
    const set = { revokedAt: actor.at, revokedBy: actor.by };
    const user: ApiUser = { ...current, ...set };
    const { keyHash, previous } = current;
    const hashes = [keyHash, ...(previous ? [previous.keyHash] : [])];
    const keys = hashes.map((hash, index) => changeKey(`key ${index}`, hash, { set }));
    if (await commitApiUser("api-user.revoke", current, user, actor, keys)) return user;
    current = (await apiUsers.at(found.tenantId, found.apiUserId).get()) ?? current;
    return new Conflict("api user");
  });
}

/**
 * Name and role, for both keys in an overlap: they count for every request that begins after it.
 * @throws ApiError ILLEGAL_TRANSITION if revoked; VALIDATION_FAILED for an unknown operation
 */
export async function changeApiUser(found: ApiUser, change: Partial<Named>, actor: Actor): Promise<ApiUser> {
  await requireKnown(change);
  let current = found;
  return retry(async () => {
    const { role: _, operations: __, ...others } = current;
    if (current.revokedAt !== undefined) throw statusError("revoked", ["active"]);
    const { name = current.name } = change;
    const rights = toStored(change.role === undefined ? current : change);
    const { revision = 0, keyHash, previous } = current;
    const user: ApiUser = { ...others, name, ...rights, revision: revision + 1 };
    if (isDeepStrictEqual(toApiUserView(user), toApiUserView(current))) return current;
    const hashes = [keyHash, ...(previous && previous.validUntil > actor.at ? [previous.keyHash] : [])];
    const keys = hashes.map((hash, index) =>
      changeKey(`key ${index}`, hash, toKeyChange({ name, ...rights })),
    );
    if (await commitApiUser("api-user.update", current, user, actor, keys)) return user;
    current = (await apiUsers.at(found.tenantId, found.apiUserId).get()) ?? current;
    return new Conflict("api user");
  });
}

/** Requires the API user as read. */
async function commitApiUser(
  action: AuditAction,
  found: ApiUser,
  user: ApiUser,
  actor: Actor,
  keys: readonly WriteAction[],
): Promise<boolean> {
  const { tenantId, programId, apiUserId, keyHash, revision } = found;
  const change = { before: toApiUserView(found), after: toApiUserView(user) };
  const { committed } = await transact([
    apiUsers.at(tenantId, apiUserId).put(user, { keyHash, revision, revokedAt: absent }),
    ...keys,
    auditPut(actor, { tenantId, programId, action, subjectId: apiUserId, ...change }),
  ]);
  return committed;
}

type KeyChange = Parameters<ReturnType<typeof apiKeys.at>["update"]>[0];

/** The name is the failed condition's, if there is no such key. */
function changeKey(name: string, keyHash: string, change: KeyChange): WriteAction {
  return { ...apiKeys.at(keyHash).update(change, exists), name };
}

function toKeyChange({ name, role, operations = [] }: Named): KeyChange {
  return {
    set: { name, ...(role && { role }), ...(role === "custom" && { operations: [...operations] }) },
    remove: [...(role ? [] : (["role"] as const)), ...(role === "custom" ? [] : (["operations"] as const))],
  };
}
