import { Counted } from "../../shared/lists/keyed-page.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { auditEntries, toAuditEntryView } from "../../shared/tenancy/audit-log.ts";

export const listAuditLog: Operations["GET /account/audit-log"] = ({ scope: { tenantId }, query }) => {
  const { programId, actor, action } = query;
  return listPage(
    {
      records: { ...auditEntries.records(tenantId), ids: "audit", counted: counted.at(tenantId) },
      filters: { programId, actor, action },
      view: toAuditEntryView,
    },
    query,
  );
};

const counted = defineEntity({
  name: "auditCount",
  table: "accounts",
  schema: Counted,
  key: (tenantId: string) => ({ pk: `${tenantId}#AUDIT`, sk: "COUNT" }),
});
