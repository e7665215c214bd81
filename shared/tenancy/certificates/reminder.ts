import * as z from "zod";
import { type CertificateReminder, type ReminderDays, reminderDays } from "../../contract/alerts.ts";
import { dayMs, timestamp, unixSeconds } from "../../platform/clock.ts";
import { deadlinePut, defineDeadline } from "../../platform/deadlines.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Certificate } from "./certificate.ts";

/** One for each certificate and day count. Every attempt sends the same body. */
const StoredReminder = z.object({
  tenantId: z.string(),
  reminderId: z.string(),
  certificateId: z.string(),
  /** JSON, rendered once. */
  body: z.string(),
  /** The certificate's end: nothing is sent after it. */
  expiresAtSeconds: z.int(),
});

const reminding = defineDeadline("remind_certificate", "normal");

export const reminders = defineEntity({
  name: "reminder",
  schema: StoredReminder,
  key: (tenantId: string, reminderId: string) => ({
    pk: `${tenantId}#REMINDER#${reminderId}`,
    sk: "REMINDER",
  }),
});

/** The same for every call: one certificate and day count have one reminder. */
export function getReminderId({ certificateId }: Certificate, { days }: DueReminder): string {
  return `${certificateId}-${days}`;
}

/** Belongs in the transaction that moves the certificate's deadline. */
export function reminderPut(certificate: Certificate, due: DueReminder, at: Date): WriteAction {
  const { tenantId, certificateId, serialNumber, notAfter } = certificate;
  const reminderId = getReminderId(certificate, due);
  const body: CertificateReminder = {
    NotificationId: reminderId,
    NotificationType: "CERTIFICATE_EXPIRY",
    DaysRemaining: due.daysRemaining,
    CertSerialNumber: serialNumber,
    CertSubject: toSubject(certificate),
    CertNotAfter: notAfter,
    DateCreated: timestamp(at),
  };
  const expiresAtSeconds = unixSeconds(new Date(notAfter));
  return reminders
    .at(tenantId, reminderId)
    .put({ tenantId, reminderId, certificateId, body: JSON.stringify(body), expiresAtSeconds });
}

function toSubject({ tenantId, programIds }: Certificate): string {
  return [`O=${tenantId}`, ...programIds.map((programId) => `OU=${programId}`)].join(", ");
}

/** Empty after the last reminder. */
export function reminderDeadline(
  { tenantId, certificateId, notAfter }: Certificate,
  at: Date,
): WriteAction[] {
  const dueAt = nextReminderAt(new Date(notAfter), at);
  if (!dueAt) return [];
  return [deadlinePut(reminding.at({ ownerId: tenantId, deadlineId: certificateId, dueAt }))];
}

const toReminderTime = (notAfter: Date, days: ReminderDays) => new Date(notAfter.getTime() - days * dayMs);

/** Undefined after the last one. */
export function nextReminderAt(notAfter: Date, at: Date): Date | undefined {
  return reminderDays
    .map((days) => toReminderTime(notAfter, days))
    .toReversed()
    .find((time) => time > at);
}

interface DueReminder {
  readonly days: ReminderDays;
  /** Days left, including the current one: below `days` if the reminder is late. */
  readonly daysRemaining: number;
}

/**
 * The last due reminder. Earlier unsent ones are skipped, so four days before the end a Tenant
 * gets one reminder, for four days. None after the end.
 */
export function reminderAt(notAfter: Date, at: Date): DueReminder | undefined {
  if (at >= notAfter) return undefined;
  const days = reminderDays.find((one) => toReminderTime(notAfter, one) <= at);
  return days && { days, daysRemaining: Math.ceil((notAfter.getTime() - at.getTime()) / dayMs) };
}
