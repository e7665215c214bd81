import { toApiUserView } from "../../shared/tenancy/api-keys/api-user.ts";
import { revokeApiUser } from "../../shared/tenancy/api-keys/api-user-change.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { getApiUser } from "./get-api-user.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Revokes an API user with its Tenant-level keys, the caller's own too if it says so: the very next request with one is refused.
 *
 * @throws ApiError NOT_FOUND
 */
export const revokeTenantApiUser: AccountOperations["DELETE /account/api-users/{apiUserId}"] = async (
  request,
) => {
  const user = await getApiUser(request.scope.tenantId, request.path.apiUserId, undefined);
  return toApiUserView(await revokeApiUser(user, actorOf(request)));
};

/**
 * Revokes an API user with its keys of a Program: the very next request with one is refused.
 *
 * @throws ApiError NOT_FOUND
 */
export const revokeProgramApiUser: AccountOperations["DELETE /account/programs/{programId}/api-users/{apiUserId}"] =
  async (request) => {
    const { apiUserId, programId } = request.path;
    const user = await getApiUser(request.scope.tenantId, apiUserId, programId);
    return toApiUserView(await revokeApiUser(user, actorOf(request)));
  };
