import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact, type WriteAction } from "../../shared/table/transact.ts";
import { auditPut } from "../../shared/tenant/audit.ts";
import { newApiUser } from "../../shared/tenant/new-api-user.ts";
import type { Tenant } from "../../shared/tenant/tenant.ts";
import { createTenantUsageKey } from "../../shared/usage/program-usage.ts";
import type { Command } from "./command.ts";

/** Creates a Tenant with its first key, a Tenant-level one, and nothing else in it. Each call makes another one. */
export const createTenant: Command<"create-tenant"> = async ({ name }, actor) => {
  const tenant: Tenant = { tenantId: newId("tenant"), name, createdAt: actor.at, createdBy: actor.by };
  const { tenantId } = tenant;
  const created = {
    tenantId,
    action: "tenant.create",
    subjectId: tenantId,
    before: null,
    after: { name },
  } as const;
  const audited = auditPut(created, actor);
  const { user, apiKey, writes } = await newApiUser(tenantId, undefined, "First key", actor);
  await createTenantUsageKey(tenantId);
  const { committed } = await transact([tenantPut(tenant), audited, ...writes]);
  if (!committed) throw new Error(`The id ${tenantId} was given twice.`);
  return { tenantId, apiUserId: user.apiUserId, apiKey };
};

function tenantPut(tenant: Tenant): WriteAction {
  return {
    name: "tenant",
    Put: {
      TableName: environment.accountsTable,
      Item: { ...accountsKey.tenant(tenant.tenantId), ...tenant },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
