import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditEntries, toAuditEntryView } from "../../shared/tenancy/audit-log.ts";

export const listAuditLog: Operations["GET /account/audit-log"] = ({ scope, query }) => {
  const { programId, actor, action } = query;
  return listPage(
    {
      records: { ...auditEntries.records(scope.tenantId), ids: "audit" },
      filters: { programId, actor, action },
      view: toAuditEntryView,
    },
    query,
  );
};
