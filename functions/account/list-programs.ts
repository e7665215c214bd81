import type { ProgramView } from "../../shared/contract/account-programs.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { tenantKey } from "../../shared/platform/table/tenant-keys.ts";
import type { AccountOperations } from "./operations.ts";

/** The Tenant's Programs. What a page shows of one never changes, so the Tenant's partition has a copy. */
export const listPrograms: AccountOperations["GET /account/programs"] = ({ scope, query }) =>
  listPage(
    {
      records: { table: "accounts", partitions: [tenantKey.programOf(scope.tenantId, "")] },
      orders: { programId: "programId", name: "name", dateCreated: "createdAt" },
      view: (program: ProgramView) => program,
    },
    query,
  );
