import { listPage } from "../../shared/lists/list-page.ts";
import { tenantKey } from "../../shared/platform/table/tenant-keys.ts";
import { toAuditEntryView } from "../../shared/tenancy/audit-log.ts";
import type { AccountOperations } from "./operations.ts";

/** Every change to what belongs to the Tenant: by whom, when, what it was and what it became. */
export const listAuditLog: AccountOperations["GET /account/audit-log"] = async ({ scope, query }) => {
  const { programId, actor, action, ...pageQuery } = query;
  const { pk: partition, sk: prefix } = tenantKey.audit(scope.tenantId, "");
  const { items, total } = await listPage(
    {
      records: { table: "accounts", partition, prefix },
      orders: { auditId: "auditId", dateCreated: "createdAt" },
      filters: { programId, actor, action },
    },
    pageQuery,
  );
  return { items: items.map(toAuditEntryView), total };
};
