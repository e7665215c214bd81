import { CertificateReminder } from "../contract/certificate-reminder.ts";
import { now } from "../platform/clock.ts";
import type { Email } from "../platform/send-email.ts";
import { readCertificateOf } from "../tenancy/certificates/certificate.ts";
import { readReminder } from "../tenancy/certificates/reminder.ts";
import { readNotificationSettings } from "./notification-settings.ts";
import type { Callback } from "./send-callback.ts";

/** A message on its way to a Tenant, by the channel that it has chosen. */
export type TenantMessage = { readonly email: Email } | { readonly callback: Callback };

/**
 * The reminder as it is to be sent now. Undefined where there is nothing to remind of any more: the certificate is revoked or over, or the Tenant
 * has no settings.
 */
export async function reminderMessage(
  tenantId: string,
  reminderId: string,
): Promise<TenantMessage | undefined> {
  const [reminder, settings] = await Promise.all([
    readReminder(tenantId, reminderId),
    readNotificationSettings(tenantId),
  ]);
  const certificate = reminder && (await readCertificateOf(tenantId, reminder.certificateId));
  if (!reminder || !certificate || !settings) return undefined;
  if (certificate.revokedAt !== undefined || now() >= new Date(certificate.notAfter)) return undefined;
  const content = CertificateReminder.parse(JSON.parse(reminder.body));
  if (settings.channel === "email") return { email: emailOf(settings.email, content) };
  const { url, secret } = settings;
  const messageId = content.NotificationId;
  return { callback: { url, messageId, body: Buffer.from(reminder.body), secrets: [secret] } };
}

function emailOf(to: string, reminder: CertificateReminder): Email {
  const { CertSerialNumber, CertSubject, CertNotAfter, DaysRemaining } = reminder;
  const days = DaysRemaining === 1 ? "1 day" : `${DaysRemaining} days`;
  return {
    to,
    subject: `Your client certificate expires in ${days}`,
    text: [
      `The client certificate ${CertSerialNumber} (${CertSubject}) expires at ${CertNotAfter}, in ${days}.`,
      "From then on, calls with it fail in the TLS handshake. Ask for another one in time (POST /account/certificates); two can be active at once.",
      JSON.stringify(reminder, null, 2),
    ].join("\n\n"),
  };
}
