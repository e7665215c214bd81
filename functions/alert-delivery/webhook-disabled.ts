import type { WebhookDisabledNotice } from "../../shared/contract/webhook-disabled.ts";
import type { WebhookDisabled } from "../../shared/delivery/alert-event.ts";
import { readNotificationSettings } from "../../shared/delivery/notification-settings.ts";
import type { TenantMessage } from "../../shared/delivery/reminder-message.ts";
import { log } from "../../shared/platform/log.ts";
import type { Email } from "../../shared/platform/send-email.ts";

/** What tells a Tenant that one of its endpoints was switched off. Every attempt sends the same body. */
export async function disabledMessage(
  tenantId: string,
  { programId, eventId, detail }: WebhookDisabled,
): Promise<TenantMessage | undefined> {
  const settings = await readNotificationSettings(tenantId);
  if (!settings) {
    log.warn("An endpoint was switched off, and its Tenant has no notification settings.", {
      tenantId,
      programId,
    });
    return undefined;
  }
  const notice: WebhookDisabledNotice = {
    NotificationId: eventId,
    NotificationType: "WEBHOOK_DISABLED",
    ProgramId: programId,
    WebhookId: detail.webhookId,
    Url: detail.url,
    Reason: detail.reason,
    DateCreated: detail.disabledAt,
  };
  if (settings.channel === "email") return { email: emailOf(settings.email, notice) };
  const { url, secret } = settings;
  const body = Buffer.from(JSON.stringify(notice));
  return { callback: { url, messageId: eventId, body, secrets: [secret] } };
}

function emailOf(to: string, notice: WebhookDisabledNotice): Email {
  const why =
    notice.Reason === "GONE"
      ? "Its receiver answered 410."
      : "Every delivery to it has failed for five days.";
  return {
    to,
    subject: "A webhook endpoint was switched off",
    text: [
      `The endpoint ${notice.WebhookId} (${notice.Url}) was switched off at ${notice.DateCreated}. ${why}`,
      "Nothing is sent to it until you switch it on again (PUT /webhooks/{webhookId}). POST /webhooks/events/redeliver then sends what was missed.",
      JSON.stringify(notice, null, 2),
    ].join("\n\n"),
  };
}
