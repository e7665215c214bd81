import type { ProgramView } from "../../shared/contract/account-programs.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { tenantKey } from "../../shared/platform/table/tenant-keys.ts";
import type { AccountOperations } from "./operations.ts";

/** The Tenant's Programs. What is listed of one never changes, so it stands with the Tenant. */
export const listPrograms: AccountOperations["GET /account/programs"] = async ({ scope, query }) => {
  const { pk: partition, sk: prefix } = tenantKey.programOf(scope.tenantId, "");
  const { items, total } = await listPage(
    {
      records: { table: "accounts", partition, prefix },
      orders: { programId: "programId", name: "name", dateCreated: "createdAt" },
      filters: {},
    },
    query,
  );
  return { items: items as unknown as ProgramView[], total };
};
