import { receiverFault } from "../../shared/callback/receiver-fault.ts";
import { newSigningSecret } from "../../shared/callback/signing-secret.ts";
import type { OperatorInput } from "../../shared/contract/operator.ts";
import { environment } from "../../shared/environment.ts";
import {
  type NotificationSettings,
  readNotificationSettings,
} from "../../shared/reminder/notification-settings.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { type Audit, type Command, CommandRefused } from "./command.ts";
import { requireCommitted, tenantExists } from "./existence.ts";

/**
 * Sets where the Tenant's reminders go: an email address, or a URL, with a secret that signs what is sent there. The secret is shown when the URL
 * is new, and stays as it is when the same URL is given again.
 *
 * @throws CommandRefused when there is no such Tenant, or the URL is none that the platform sends to.
 */
export const setNotifications: Command<"set-notifications"> = async (input, audit) => {
  const { tenantId, channel } = input;
  const before = await readNotificationSettings(tenantId);
  const settings = await settingsOf(input, before, audit);
  requireCommitted(
    await transact([
      tenantExists(tenantId),
      {
        name: "notification settings",
        Put: {
          TableName: environment.accountsTable,
          Item: { ...accountsKey.notificationSettings(tenantId), ...settings },
        },
      },
    ]),
  );
  const isNew = settings.channel === "webhook" && settings.secret !== secretOf(before);
  return { channel, ...(isNew && { secret: settings.secret }) };
};

async function settingsOf(
  input: OperatorInput<"set-notifications">,
  before: NotificationSettings | undefined,
  audit: Audit,
): Promise<NotificationSettings> {
  const updated = { updatedAt: audit.at, updatedBy: audit.by };
  if (input.channel === "email") return { ...input, ...updated };
  const fault = await receiverFault(input.url, "url");
  if (fault) throw new CommandRefused(`url: ${fault.message}`);
  const isSame = before?.channel === "webhook" && before.url === input.url;
  return { ...input, ...updated, secret: isSame ? before.secret : newSigningSecret() };
}

function secretOf(settings: NotificationSettings | undefined): string | undefined {
  return settings?.channel === "webhook" ? settings.secret : undefined;
}
