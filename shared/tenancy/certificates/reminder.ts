import * as z from "zod";
import { type CertificateReminder, type ReminderDays, reminderDays } from "../../contract/alerts.ts";
import { timestamp } from "../../platform/clock.ts";
import { deadlinePut } from "../../platform/deadlines/deadline.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Certificate } from "./certificate.ts";

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

/**
 * Sees to it that the Tenant hears of the certificate's end, in the transaction that registers it. None for one that ends before its last reminder
 * would be due.
 */
export function reminderDeadline(
  { tenantId, certificateId, notAfter }: Certificate,
  at: Date,
): WriteAction[] {
  const dueAt = nextReminderAt(new Date(notAfter), at);
  if (!dueAt) return [];
  return [deadlinePut({ ownerId: tenantId, deadlineId: certificateId, kind: "remind_certificate", dueAt })];
}

const dayMs = 86_400_000;

const timeOf = (notAfter: Date, days: ReminderDays) => new Date(notAfter.getTime() - days * dayMs);

/** When the next reminder of a certificate is due after `at`; undefined when all its times have passed. */
export function nextReminderAt(notAfter: Date, at: Date): Date | undefined {
  return reminderDays
    .map((days) => timeOf(notAfter, days))
    .toReversed()
    .find((time) => time > at);
}

/** A reminder that is to be sent. */
export interface DueReminder {
  /** Which of the three it is. */
  readonly days: ReminderDays;
  /** The days that are really left, the begun one included: `days` itself, unless it is late. */
  readonly daysRemaining: number;
}

/**
 * The reminder that is true at `at`: the last whose time has come. Those before it that were never sent, since no sweep ran, are not any more: with
 * four days left a Tenant hears of four days, once. None before the first, nor for a certificate that is over.
 */
export function reminderAt(notAfter: Date, at: Date): DueReminder | undefined {
  if (at >= notAfter) return undefined;
  const days = reminderDays.find((one) => timeOf(notAfter, one) <= at);
  return days && { days, daysRemaining: Math.ceil((notAfter.getTime() - at.getTime()) / dayMs) };
}
