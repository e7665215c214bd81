import { notificationSettings } from "../../shared/notifications/delivery/notification-settings.ts";
import { now } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { log } from "../../shared/platform/log.ts";
import { tenantOutboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { type Certificate, readTenantCertificate } from "../../shared/tenancy/certificates/certificate.ts";
import {
  getReminderId,
  nextReminderAt,
  reminderAt,
  reminderPut,
} from "../../shared/tenancy/certificates/reminder.ts";

/**
 * One deadline serves all three reminders. The transaction that writes a reminder moves it, so each
 * is written once. A reminder that no sweep reached in time is left out.
 */
export async function remindOfCertificate(deadline: DueDeadline): Promise<void> {
  const { ownerId: tenantId, deadlineId: certificateId } = deadline;
  const certificate = await readTenantCertificate(tenantId, certificateId);
  if (!certificate) throw new Error(`The certificate ${certificateId} of the deadline does not exist.`);
  const at = now();
  const next = certificate.revokedAt ? undefined : nextReminderAt(new Date(certificate.notAfter), at);
  // Fails if another sweep was faster.
  await transact([deadlineClaim(deadline, next), ...(await reminderWrites(certificate, at))]);
}

async function reminderWrites(certificate: Certificate, at: Date): Promise<WriteAction[]> {
  const { tenantId, certificateId, notAfter, revokedAt } = certificate;
  const due = revokedAt ? undefined : reminderAt(new Date(notAfter), at);
  if (!due) return [];
  const settings = await notificationSettings.at(tenantId).get();
  if (!settings) {
    log.warn("A certificate ends, and its Tenant has no notification settings.", { tenantId, certificateId });
    return [];
  }
  return [
    reminderPut(certificate, due, at),
    tenantOutboxPut(tenantId, "certificate.expiring", { reminderId: getReminderId(certificate, due) }, at),
  ];
}
