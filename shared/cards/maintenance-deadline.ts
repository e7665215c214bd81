import type { Deadline } from "../platform/deadline-kinds.ts";
import type { Card } from "./card.ts";

/**
 * The first due date after `after`: monthly on the day of issuance, or on the last day of a shorter
 * month.
 */
export function maintenanceDeadline(
  programId: string,
  { entityId, createdAt }: Pick<Card, "entityId" | "createdAt">,
  after: Date,
): Deadline {
  return {
    ownerId: programId,
    deadlineId: `maintenance:${entityId}`,
    kind: "charge_maintenance",
    cardId: entityId,
    dueAt: nextMonthly(new Date(createdAt), after),
  };
}

/** The first of the times that lie whole months after `from` and later than `after`. In UTC. */
export function nextMonthly(from: Date, after: Date): Date {
  const months =
    (after.getUTCFullYear() - from.getUTCFullYear()) * 12 + after.getUTCMonth() - from.getUTCMonth();
  // This month's date may lie before `after`; next month's cannot.
  const inMonth = monthsLater(from, Math.max(1, months));
  return inMonth > after ? inMonth : monthsLater(from, Math.max(1, months) + 1);
}

/** Always counted from the first time, so that a short month does not move the day for good. */
function monthsLater(from: Date, months: number): Date {
  const later = new Date(from);
  later.setUTCDate(1);
  later.setUTCMonth(later.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate();
  later.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return later;
}
