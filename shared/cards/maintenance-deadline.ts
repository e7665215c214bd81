import * as z from "zod";
import { type Deadline, defineDeadline } from "../platform/deadlines.ts";
import type { Card } from "./card.ts";

export const maintenance = defineDeadline("charge_maintenance", "bulk", z.object({ cardId: z.string() }));

/**
 * The first due date after `after`: monthly on the day of issuance, or on the last day of a shorter
 * month.
 */
export function maintenanceDeadline(
  programId: string,
  { entityId, createdAt }: Pick<Card, "entityId" | "createdAt">,
  after: Date,
): Deadline {
  const dueAt = nextMonthly(new Date(createdAt), after);
  return maintenance.at({
    ownerId: programId,
    deadlineId: `maintenance:${entityId}`,
    dueAt,
    cardId: entityId,
  });
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
