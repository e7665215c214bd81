import { listPage } from "../../shared/lists/list-page.ts";
import { tenantKey } from "../../shared/platform/table/keys.ts";
import { toAuditEntryView } from "../../shared/tenancy/audit-log.ts";
import type { AccountOperations } from "./operations.ts";

export const listAuditLog: AccountOperations["GET /account/audit-log"] = ({ scope, query }) => {
  const { programId, actor, action } = query;
  return listPage(
    {
      records: { table: "accounts", partitions: [tenantKey.audit(scope.tenantId, "")] },
      orders: { auditId: "auditId", dateCreated: "createdAt" },
      filters: { programId, actor, action },
      view: toAuditEntryView,
    },
    query,
  );
};
