import type { Fault } from "../contract/errors.ts";
import { environment } from "../platform/environment.ts";
import { accountsKey } from "../platform/table/keys.ts";
import { type TransactionOutcome, transact } from "../platform/table/transact.ts";
import { type Actor, auditPut } from "../tenancy/audit-log.ts";
import { tenantExists } from "../tenancy/existence.ts";
import { type NotificationSettings, readNotificationSettings } from "./notification-settings.ts";
import { receiverFault } from "./receiver-fault.ts";
import { newSigningSecret } from "./signing-secret.ts";

/** Where reminders are to go. */
export type NotificationRequest =
  | { readonly channel: "email"; readonly email: string }
  | { readonly channel: "webhook"; readonly url: string };

export type NotificationOutcome =
  | { readonly fault: Fault }
  | {
      readonly settings: NotificationSettings;
      /** Whether its secret was made by this change, and is to be shown. */
      readonly isNew: boolean;
      readonly outcome: TransactionOutcome;
    };

/**
 * Sets where the Tenant's reminders go: an email address, or a URL, with a secret that signs what is sent there. The secret is new when the URL is,
 * and stays as it is when the same URL is given again. A fault, where the URL is none that the platform sends to, stands at `path`.
 */
export async function setNotificationSettings(
  tenantId: string,
  request: NotificationRequest,
  actor: Actor,
  path: string,
): Promise<NotificationOutcome> {
  const fault = request.channel === "webhook" ? await receiverFault(request.url, path) : undefined;
  if (fault) return { fault };
  const before = await readNotificationSettings(tenantId);
  const { settings, isNew } = settingsOf(tenantId, request, before, actor);
  const outcome = await transact([
    tenantExists(tenantId),
    {
      name: "notification settings",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.notificationSettings(tenantId), ...settings },
      },
    },
    auditPut(
      {
        tenantId,
        action: "notification-settings.update",
        subjectId: tenantId,
        before: before ? withoutSecret(before) : null,
        after: withoutSecret(settings),
      },
      actor,
    ),
  ]);
  return { settings, isNew, outcome };
}

function settingsOf(
  tenantId: string,
  request: NotificationRequest,
  before: NotificationSettings | undefined,
  actor: Actor,
): { readonly settings: NotificationSettings; readonly isNew: boolean } {
  const common = { tenantId, updatedAt: actor.at, updatedBy: actor.by };
  if (request.channel === "email") {
    return { settings: { ...common, channel: "email", email: request.email }, isNew: false };
  }
  const { channel, url } = request;
  const kept = before?.channel === "webhook" && before.url === url ? before.secret : undefined;
  return {
    settings: { ...common, channel, url, secret: kept ?? newSigningSecret() },
    isNew: kept === undefined,
  };
}

function withoutSecret(settings: NotificationSettings): object {
  if (settings.channel === "email") return { channel: settings.channel, email: settings.email };
  return { channel: settings.channel, url: settings.url };
}
