import { deadlinePut } from "../../platform/deadlines/deadline.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Certificate } from "./certificate.ts";
import { nextReminderAt } from "./reminder-time.ts";

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
