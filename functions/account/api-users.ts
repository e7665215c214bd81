import { listPage, type PageQuery } from "../../shared/lists/list-page.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  ApiUser,
  apiUsers,
  newApiUser,
  revokeApiUser,
  rotateKey,
  toApiUserView,
} from "../../shared/tenancy/api-keys/api-user.ts";
import { type Actor, toActor } from "../../shared/tenancy/audit-log.ts";
import { getTenantProgram } from "../../shared/tenancy/programs/program.ts";
import { ensureUsageKeys } from "../../shared/tenancy/usage/program-usage.ts";
import type { AccountOperations } from "./operations.ts";

/** Includes revoked API users. */
export const listTenantApiUsers: AccountOperations["GET /account/api-users"] = ({ scope, query }) =>
  listApiUsers(scope.tenantId, { level: "tenant" }, query);

/**
 * Includes revoked API users.
 * @throws ApiError NOT_FOUND
 */
export const listProgramApiUsers: AccountOperations["GET /account/programs/{programId}/api-users"] = async ({
  scope,
  path: { programId },
  query,
}) => {
  await getTenantProgram(scope.tenantId, programId);
  return listApiUsers(scope.tenantId, { programId }, query);
};

function listApiUsers(tenantId: string, filters: Record<string, string>, query: PageQuery) {
  return listPage(
    {
      records: { table: "accounts", partitions: [accountsKey.apiUser(tenantId, "")] },
      orders: { apiUserId: "apiUserId", name: "name", dateCreated: "createdAt" },
      filters,
      view: (item) => toApiUserView(ApiUser.parse(item)),
    },
    query,
  );
}

/** The key is only in this answer: the platform does not store it. */
export const createTenantApiUser: AccountOperations["POST /account/api-users"] = async (request) => {
  const { tenantId } = request.scope;
  const { user, apiKey, ownerExists, writes } = await newApiUser(
    tenantId,
    undefined,
    request.body.name,
    toActor(request),
  );
  if (!(await transact([ownerExists, ...writes])).committed)
    throw new Error(`The Tenant ${tenantId} does not exist.`);
  return { ...toApiUserView(user), apiKey };
};

/**
 * The key is only in this answer: the platform does not store it.
 * @throws ApiError NOT_FOUND
 */
export const createProgramApiUser: AccountOperations["POST /account/programs/{programId}/api-users"] = async (
  request,
) => {
  const { tenantId } = request.scope;
  const program = await getTenantProgram(tenantId, request.path.programId);
  await ensureUsageKeys(program);
  const { programId, currency } = program;
  const ofProgram = { programId, currency };
  const { user, apiKey, ownerExists, writes } = await newApiUser(
    tenantId,
    ofProgram,
    request.body.name,
    toActor(request),
  );
  if (!(await transact([ownerExists, ...writes])).committed) throw new ApiError("NOT_FOUND");
  return { ...toApiUserView(user), apiKey };
};

/**
 * The old key stays valid for `overlapSeconds`. The new key is only in this answer.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if the API user is revoked or being changed
 */
export const rotateTenantApiUser: AccountOperations["POST /account/api-users/{apiUserId}/rotate"] = (
  request,
) => rotate(request.scope.tenantId, request.path.apiUserId, undefined, request.body, toActor(request));

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if the API user is revoked or being changed */
export const rotateProgramApiUser: AccountOperations["POST /account/programs/{programId}/api-users/{apiUserId}/rotate"] =
  ({ scope, path, body, requestId }) =>
    rotate(scope.tenantId, path.apiUserId, path.programId, body, toActor({ scope, requestId }));

async function rotate(
  tenantId: string,
  apiUserId: string,
  programId: string | undefined,
  { overlapSeconds }: { readonly overlapSeconds: number },
  actor: Actor,
) {
  const found = await getApiUser(tenantId, apiUserId, programId);
  const { user, apiKey } = await rotateKey(found, overlapSeconds, actor);
  return { ...toApiUserView(user), apiKey };
}

/**
 * Applies from the next request on. Callers may revoke their own key.
 * @throws ApiError NOT_FOUND
 */
export const revokeTenantApiUser: AccountOperations["DELETE /account/api-users/{apiUserId}"] = async (
  request,
) => {
  const user = await getApiUser(request.scope.tenantId, request.path.apiUserId, undefined);
  return toApiUserView(await revokeApiUser(user, toActor(request)));
};

/**
 * Applies from the next request on.
 * @throws ApiError NOT_FOUND
 */
export const revokeProgramApiUser: AccountOperations["DELETE /account/programs/{programId}/api-users/{apiUserId}"] =
  async (request) => {
    const { apiUserId, programId } = request.path;
    const user = await getApiUser(request.scope.tenantId, apiUserId, programId);
    return toApiUserView(await revokeApiUser(user, toActor(request)));
  };

/**
 * Without a `programId`, the API user must have a Tenant-level key.
 * @throws ApiError NOT_FOUND
 */
export async function getApiUser(
  tenantId: string,
  apiUserId: string,
  programId: string | undefined,
): Promise<ApiUser> {
  const user = await apiUsers.at(tenantId, apiUserId).get();
  if (!user || user.programId !== programId) throw new ApiError("NOT_FOUND");
  return user;
}
