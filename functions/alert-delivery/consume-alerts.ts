import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { CertificateReminder, type WebhookDisabledNotice } from "../../shared/contract/alerts.ts";
import type { OtpCallback } from "../../shared/contract/otp.ts";
import type { Outcome, PreparedDelivery } from "../../shared/notifications/delivery/attempt.ts";
import { consumeDeliveries } from "../../shared/notifications/delivery/consume-deliveries.ts";
import type { Delivery, DeliveryOf } from "../../shared/notifications/delivery/delivery.ts";
import {
  type NotificationSettings,
  notificationSettings,
} from "../../shared/notifications/delivery/notification-settings.ts";
import { challenges, isUsable, listeners } from "../../shared/passcodes/passcode.ts";
import { sendCallback } from "../../shared/platform/callbacks/post.ts";
import { now } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { sha256 } from "../../shared/platform/sha256.ts";
import { readTenantCertificate } from "../../shared/tenancy/certificates/certificate.ts";
import { reminders } from "../../shared/tenancy/certificates/reminder.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

export function consumeAlerts(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeDeliveries(event, prepareAlert);
}

async function prepareAlert(delivery: Delivery): Promise<PreparedDelivery | undefined> {
  switch (delivery.kind) {
    case "otp.challenged":
      return preparePasscodeCallback(delivery);
    case "kyc.requested":
      return (await import("./prepare-review.ts")).prepareReview(delivery);
    case "certificate.expiring":
      return prepareReminder(delivery);
    case "webhook.disabled":
      return prepareDisabledAlert(delivery);
    default:
      throw new Error(`${delivery.kind} is not an alert.`);
  }
}

/** Names only whose passcode to retrieve. Undefined if the code cannot be used any more. */
async function preparePasscodeCallback({
  programId,
  listenerId,
  challengeId,
  deliveryId,
}: DeliveryOf<"otp.challenged">): Promise<PreparedDelivery | undefined> {
  const [listener, challenge] = await Promise.all([
    listeners.at(programId, listenerId).get(),
    challenges.at(programId, challengeId).get(),
  ]);
  if (!listener || !challenge || !listener.challengeIds?.has(challengeId)) return undefined;
  const { cardId, cardholderId, webhookUrl: url, secret } = listener;
  if (url === undefined || secret === undefined || !isUsable(challenge, now())) return undefined;
  // A listener has one of the two.
  const body = Buffer.from(JSON.stringify({ cardId, cardholderId } as OtpCallback));
  return {
    // Two subscriptions may share a receiver: the delivery id distinguishes their callbacks.
    send: () => sendCallback({ url, messageId: deliveryId, body, secrets: [secret] }),
    bodySha256: sha256(body),
    until: new Date(challenge.expiresAt),
  };
}

/** Undefined if the certificate has ended, or the Tenant has no notification settings. */
async function prepareReminder({ tenantId, reminderId }: DeliveryOf<"certificate.expiring">) {
  const [reminder, settings] = await Promise.all([
    reminders.at(tenantId, reminderId).get(),
    notificationSettings.at(tenantId).get(),
  ]);
  const certificate = reminder && (await readTenantCertificate(tenantId, reminder.certificateId));
  if (!reminder || !certificate || !settings) return undefined;
  if (certificate.revokedAt !== undefined || now() >= new Date(certificate.notAfter)) return undefined;
  const content = CertificateReminder.parse(JSON.parse(reminder.body));
  const { CertSerialNumber, CertSubject, CertNotAfter, DaysRemaining } = content;
  const days = DaysRemaining === 1 ? "1 day" : `${DaysRemaining} days`;
  return prepareTenantAlert(settings, {
    messageId: content.NotificationId,
    body: reminder.body,
    subject: `Your client certificate expires in ${days}`,
    text: [
      `The client certificate ${CertSerialNumber} (${CertSubject}) expires at ${CertNotAfter}, in ${days}.`,
      "From then on, calls with it fail in the TLS handshake. Ask for another one in time (POST /account/certificates); two can be active at once.",
      JSON.stringify(content, null, 2),
    ],
  });
}

async function prepareDisabledAlert({ programId, deliveryId, ...disabled }: DeliveryOf<"webhook.disabled">) {
  const { tenantId } = await getProgram(programId);
  const settings = await notificationSettings.at(tenantId).get();
  if (!settings) {
    const ids = { tenantId, programId };
    log.warn("An endpoint was switched off, and its Tenant has no notification settings.", ids);
    return undefined;
  }
  const { webhookId, url, reason, disabledAt } = disabled;
  const content: WebhookDisabledNotice = {
    NotificationId: deliveryId,
    NotificationType: "WEBHOOK_DISABLED",
    ProgramId: programId,
    WebhookId: webhookId,
    Url: url,
    Reason: reason,
    DateCreated: disabledAt,
  };
  const why =
    reason === "GONE" ? "Its receiver answered 410." : "Every delivery to it has failed for five days.";
  return prepareTenantAlert(settings, {
    messageId: deliveryId,
    body: JSON.stringify(content),
    subject: "A webhook endpoint was switched off",
    text: [
      `The endpoint ${webhookId} (${url}) was switched off at ${disabledAt}. ${why}`,
      "Nothing is sent to it until you switch it on again (PUT /webhooks/{webhookId}). POST /webhooks/events/redeliver then sends what was missed.",
      JSON.stringify(content, null, 2),
    ],
  });
}

interface TenantAlert {
  readonly messageId: string;
  /** A webhook gets it: the same bytes in every attempt. */
  readonly body: string;
  /** An email has it. */
  readonly subject: string;
  readonly text: readonly string[];
}

function prepareTenantAlert(
  settings: NotificationSettings,
  { messageId, body, subject, text: paragraphs }: TenantAlert,
): PreparedDelivery {
  if (settings.channel === "email") {
    const text = paragraphs.join("\n\n");
    return { send: () => sendByEmail(settings.email, subject, text), bodySha256: sha256(text) };
  }
  const { url, secret } = settings;
  const callback = { url, messageId, body: Buffer.from(body), secrets: [secret] };
  return { send: () => sendCallback(callback), bodySha256: sha256(body) };
}

/** Never rejects. An email that SES accepts counts as 200. */
async function sendByEmail(to: string, subject: string, text: string): Promise<Outcome> {
  const startedAt = now().getTime();
  const latency = () => ({ latencyMs: now().getTime() - startedAt });
  try {
    // SES's client: callbacks do not need it.
    const { sendEmail } = await import("../../shared/platform/send-email.ts");
    await sendEmail({ to, subject, text });
    return { status: 200, ...latency() };
  } catch (error) {
    log.warn("The email was not accepted.", { error });
    return { failure: "EMAIL_REFUSED", ...latency() };
  }
}
