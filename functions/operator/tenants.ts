import {
  notificationSettings,
  setNotificationSettings,
} from "../../shared/notifications/delivery/notification-settings.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRejected, requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { newApiUser } from "../../shared/tenancy/api-keys/api-user.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Tenant, tenants } from "../../shared/tenancy/tenant.ts";
import { createTenantUsageKey } from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";

/**
 * Also creates a Tenant-level key, and notification settings that send reminders to the contact.
 * Each call creates another Tenant.
 */
export const createTenant: Command<"create-tenant"> = async ({ name, contactEmail }, actor) => {
  const { at, by } = actor;
  const tenantId = newId("tenant");
  const tenant: Tenant = { tenantId, name, contactEmail, createdAt: at, createdBy: by };
  // Before the key's entry: the audit log is in the order of its ids.
  const audit = auditPut(actor, {
    tenantId,
    action: "tenant.create",
    subjectId: tenantId,
    before: null,
    after: { name, contactEmail },
  });
  const { user, apiKey, writes } = await newApiUser(tenantId, undefined, { name: "First key" }, actor);
  const reminders = {
    tenantId,
    channel: "email",
    email: contactEmail,
    updatedAt: at,
    updatedBy: by,
  } as const;
  await createTenantUsageKey(tenantId);
  const { committed } = await transact([
    tenants.at(tenantId).create(tenant),
    notificationSettings.at(tenantId).put(reminders),
    audit,
    ...writes,
  ]);
  if (!committed) throw new Error(`The Tenant ${tenantId} exists already.`);
  return { tenantId, apiUserId: user.apiUserId, apiKey };
};

/**
 * @throws CommandRejected if the Tenant does not exist, or the platform does not send to the URL
 */
export const setNotifications: Command<"set-notifications"> = async (input, actor) => {
  const { tenantId, channel } = input;
  const result = await setNotificationSettings(tenantId, input, actor, "url");
  if ("fault" in result) throw new CommandRejected(`url: ${result.fault.message}`);
  const { settings, isNew, outcome } = result;
  requireCommitted(outcome);
  return { channel, ...(isNew && settings.channel === "webhook" && { secret: settings.secret }) };
};
