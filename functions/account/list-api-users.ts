import { listPage, type PageQuery } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { ApiUser, toApiUserView } from "../../shared/tenancy/api-keys/api-user.ts";
import { getProgramOf } from "../../shared/tenancy/programs/program.ts";
import type { AccountOperations } from "./operations.ts";

/** The API users with Tenant-level keys, those that were revoked included. */
export const listTenantApiUsers: AccountOperations["GET /account/api-users"] = ({ scope, query }) =>
  listApiUsers(scope.tenantId, { level: "tenant" }, query);

/**
 * The API users with keys of a Program, those that were revoked included.
 *
 * @throws ApiError NOT_FOUND
 */
export const listProgramApiUsers: AccountOperations["GET /account/programs/{programId}/api-users"] = async ({
  scope,
  path: { programId },
  query,
}) => {
  await getProgramOf(scope.tenantId, programId);
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
