import type { PageQuery } from "../../shared/lists/indexed-page.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { nameKey } from "../../shared/lists/name-key.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  ApiUser,
  apiUsers,
  changeApiUser,
  newApiUser,
  revokeApiUser as revoke,
  rotateKey,
  toApiUserView,
} from "../../shared/tenancy/api-keys/api-user.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import { getTenantProgram } from "../../shared/tenancy/programs/tenant-program.ts";
import { ensureUsageKeys } from "../../shared/tenancy/usage/program-usage.ts";

/** Includes revoked API users. */
export const listTenantApiUsers: Operations["GET /account/api-users"] = ({ scope, query }) =>
  listApiUsers(scope.tenantId, { level: "tenant" }, query);

export const listProgramApiUsers: Operations["GET /account/programs/{programId}/api-users"] = async ({
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
      records: apiUsers.records(tenantId),
      sortKeys: { name: ({ name }) => nameKey(String(name)) },
      filters,
      view: (item) => toApiUserView(ApiUser.parse(item)),
    },
    query,
  );
}

/** The key is only in this answer: the platform does not store it. */
export const createTenantApiUser: Operations["POST /account/api-users"] = (request) =>
  create(request.scope.tenantId, undefined, request.body, toActor(request));

export const createProgramApiUser: Operations["POST /account/programs/{programId}/api-users"] = async (
  request,
) => {
  const { tenantId } = request.scope;
  const program = await getTenantProgram(tenantId, request.path.programId);
  await ensureUsageKeys(program);
  return create(tenantId, program, request.body, toActor(request));
};

/** @throws ApiError NOT_FOUND if the Tenant, or its Program, does not exist */
async function create(...[tenantId, program, named, actor]: Parameters<typeof newApiUser>) {
  const { user, apiKey, ownerExists, writes } = await newApiUser(tenantId, program, named, actor);
  const { committed } = await transact([ownerExists, ...writes]);
  if (!committed) throw new ApiError("NOT_FOUND");
  return { ...toApiUserView(user), apiKey };
}

/** Names one of the Tenant's keys, or of a Program's. */
interface ApiUserRequest {
  readonly scope: { readonly tenantId: string; readonly apiUserId: string };
  readonly requestId: string;
  readonly path: { readonly apiUserId: string; readonly programId?: string };
}

type Changing<Body> = ApiUserRequest & { readonly body: Body };

/** Applies from the next request on, to both keys in the overlap of a rotation. */
export async function updateApiUser(request: Changing<Parameters<typeof changeApiUser>[1]>) {
  const user = await getApiUser(request);
  return toApiUserView(await changeApiUser(user, request.body, toActor(request)));
}

/**
 * The old key stays valid for `overlapSeconds`. The new key is only in this answer.
 * @throws ApiError ILLEGAL_TRANSITION if the API user is revoked or being changed
 */
export async function rotateApiUser(request: Changing<{ readonly overlapSeconds: number }>) {
  const found = await getApiUser(request);
  const { user, apiKey } = await rotateKey(found, request.body.overlapSeconds, toActor(request));
  return { ...toApiUserView(user), apiKey };
}

/** Applies from the next request on. Callers may revoke their own key. */
export async function revokeApiUser(request: ApiUserRequest) {
  return toApiUserView(await revoke(await getApiUser(request), toActor(request)));
}

/**
 * Without a `programId`, the API user must have a Tenant-level key.
 * @throws ApiError NOT_FOUND
 */
async function getApiUser({ scope, path: { apiUserId, programId } }: ApiUserRequest): Promise<ApiUser> {
  const user = await apiUsers.at(scope.tenantId, apiUserId).get();
  if (!user || user.programId !== programId) throw new ApiError("NOT_FOUND");
  return user;
}
