import * as z from "zod";
import type { CertificateReminder } from "../../contract/alerts.ts";
import { timestamp } from "../../platform/clock.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Certificate } from "./certificate.ts";
import type { DueReminder } from "./reminder-time.ts";

/** A reminder that was decided on: one for each certificate and day count. Every attempt to send it sends this very body. */
export const StoredReminder = z.object({
  tenantId: z.string(),
  reminderId: z.string(),
  certificateId: z.string(),
  /** JSON, rendered once. */
  body: z.string(),
});
export type StoredReminder = z.output<typeof StoredReminder>;

export const reminders = defineEntity({
  name: "reminder",
  table: "issuing",
  schema: StoredReminder,
  key: issuingKey.reminder,
});

/** The id of the reminder of a certificate so many days before its end: always the same. */
export function reminderIdOf({ certificateId }: Certificate, { days }: DueReminder): string {
  return `${certificateId}-${days}`;
}

/** Writes the reminder, in the transaction that moves the certificate's deadline on. */
export function reminderPut(certificate: Certificate, due: DueReminder, at: Date): WriteAction {
  const { tenantId, certificateId, serialNumber, notAfter } = certificate;
  const reminderId = reminderIdOf(certificate, due);
  const body: CertificateReminder = {
    NotificationId: reminderId,
    NotificationType: "CERTIFICATE_EXPIRY",
    DaysRemaining: due.daysRemaining,
    CertSerialNumber: serialNumber,
    CertSubject: subjectOf(certificate),
    CertNotAfter: notAfter,
    DateCreated: timestamp(at),
  };
  return reminders
    .at(tenantId, reminderId)
    .put({ tenantId, reminderId, certificateId, body: JSON.stringify(body) });
}

/** What the certificate says of its holder, as far as the platform goes by it. */
function subjectOf({ tenantId, programIds }: Certificate): string {
  return [`O=${tenantId}`, ...programIds.map((programId) => `OU=${programId}`)].join(", ");
}
