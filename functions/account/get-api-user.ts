import { ApiError } from "../../shared/platform/http/api-error.ts";
import { type ApiUser, apiUsers } from "../../shared/tenancy/api-keys/api-user.ts";

/**
 * The Tenant's API user with a key of the Program, or with a Tenant-level one where none is named.
 *
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
