import type { NotificationSettings } from "../../shared/delivery/notification-settings.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { newApiUser } from "../../shared/tenancy/api-keys/new-api-user.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import type { Tenant } from "../../shared/tenancy/tenant.ts";
import { createTenantUsageKey } from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";

/**
 * Creates a Tenant with its first key, a Tenant-level one, and notification settings that send its reminders to the contact.
 * Each call makes another one.
 */
export const createTenant: Command<"create-tenant"> = async ({ name, contactEmail }, actor) => {
  const tenant: Tenant = {
    tenantId: newId("tenant"),
    name,
    contactEmail,
    createdAt: actor.at,
    createdBy: actor.by,
  };
  const { tenantId } = tenant;
  const created = {
    tenantId,
    action: "tenant.create",
    subjectId: tenantId,
    before: null,
    after: { name, contactEmail },
  } as const;
  const audited = auditPut(created, actor);
  const { user, apiKey, writes } = await newApiUser(tenantId, undefined, "First key", actor);
  await createTenantUsageKey(tenantId);
  const { committed } = await transact([
    tenantPut(tenant),
    remindersTo(contactEmail, tenantId, actor),
    audited,
    ...writes,
  ]);
  if (!committed) throw new Error(`The id ${tenantId} was given twice.`);
  return { tenantId, apiUserId: user.apiUserId, apiKey };
};

function remindersTo(email: string, tenantId: string, actor: Actor): WriteAction {
  const settings: NotificationSettings = {
    tenantId,
    channel: "email",
    email,
    updatedAt: actor.at,
    updatedBy: actor.by,
  };
  return {
    name: "notification settings",
    Put: {
      TableName: environment.accountsTable,
      Item: { ...accountsKey.notificationSettings(tenantId), ...settings },
    },
  };
}

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
