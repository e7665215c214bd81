import * as z from "zod";
import type { DisputeStatus } from "../contract/disputes.ts";
import { businessDayAfter } from "../platform/calendar.ts";
import { dayMs } from "../platform/clock.ts";
import { deadlineDelete, deadlineReplace, defineDeadline } from "../platform/deadlines.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Transaction } from "../transactions/transaction.ts";
import type { Dispute } from "./dispute.ts";

const endDispute = defineDeadline("end_dispute", "normal");
export const creditDispute = defineDeadline("credit_dispute", "urgent", z.object({ disputeId: z.string() }));

/** How many days a status lasts. A new dispute: since the settlement. */
const days: Partial<Record<DisputeStatus, number>> = {
  new: 120,
  pending_customer: 10,
  representment: 30,
  pre_arbitration: 30,
};

/** Days of 24 hours. Undefined for a status without a deadline. */
export function statusDeadline(
  status: DisputeStatus,
  at: Date,
  disputed: Pick<Transaction, "postDate" | "createdAt"> | undefined,
): Date | undefined {
  const lasts = days[status];
  if (lasts === undefined) return undefined;
  const settledAt = disputed && (disputed.postDate ?? disputed.createdAt);
  const from = status === "new" && settledAt !== undefined ? Date.parse(settledAt) : at.getTime();
  return new Date(from + lasts * dayMs);
}

/** Regulation E's ten business days. Holidays count as such days: the credit is never later. */
export function creditDeadline(submittedAt: Date, timeZone: string): Date {
  return businessDayAfter(submittedAt, 10, timeZone);
}

/** The deadlines of status and credit, as far as they change. */
export function deadlineWrites(before: Dispute | undefined, after: Dispute): WriteAction[] {
  const { programId: ownerId, disputeId, deadlineAt, creditDueAt } = after;
  const creditId = `credit:${disputeId}`;
  return [
    ...toChange(before?.deadlineAt, deadlineAt, {
      set: (dueAt) => deadlineReplace(endDispute.at({ ownerId, deadlineId: disputeId, dueAt })),
      remove: () => deadlineDelete(ownerId, disputeId),
    }),
    ...toChange(before?.creditDueAt, creditDueAt, {
      set: (dueAt) => deadlineReplace(creditDispute.at({ ownerId, deadlineId: creditId, dueAt, disputeId })),
      remove: () => deadlineDelete(ownerId, creditId),
    }),
  ];
}

function toChange(
  before: string | undefined,
  after: string | undefined,
  { set, remove }: { set: (dueAt: Date) => WriteAction; remove: () => WriteAction },
): WriteAction[] {
  if (before === after) return [];
  return [after === undefined ? remove() : set(new Date(after))];
}
