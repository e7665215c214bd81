import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { makeFiles } from "../../shared/payments/make-files.ts";
import { dateAt } from "../../shared/platform/calendar.ts";
import { hourMs, now } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { idTime } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/** One at a time of a Program: thousands of payments are due with it. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Sends what is pending at the Program's hour, else each full hour. What a file has is due no more;
 * without time for all, the next sweep goes on.
 */
export async function sendDuePayments(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId, deadlineId, dueAt } = deadline;
  const { settings } = await getProgram(programId);
  const { cutOff, timeZone, bankAccount } = settings;
  const at = now();
  const isMoved = bankAccount === undefined;
  const from = isMoved ? new Date(at.getTime() + hourMs) : dueAt;
  // A file that was interrupted after the Program's hour does not wait for the next day's.
  const isBegun = deadlineId.startsWith(`${idPrefixes.paymentFile}_`);
  const sinceMs = isMoved ? at.getTime() : pendingSince(deadline);
  const hour = cutOff === undefined || isBegun ? from : findHour(sinceMs, cutOff, timeZone);
  if (hour > at) {
    await transact([deadlineClaim(deadline, hour)]);
    return;
  }
  const before = underWay.get(programId) ?? makeFiles(programId).finally(() => underWay.delete(programId));
  underWay.set(programId, before);
  await before;
}

/** It was pending within the hour before. What has failed is due later than it was. */
function pendingSince({ deadlineId, dueAt, failures = 0 }: DueDeadline): number {
  return Math.max(idTime(deadlineId).getTime(), dueAt.getTime() - (1 + failures) * hourMs);
}

const quarterMs = hourMs / 4;

/** When the clock of the Program's day next comes to this hour, or jumps over it. */
function findHour(sinceMs: number, cutOff: number, timeZone: string): Date {
  /** An hour that comes twice in a day is one. */
  const day = (ms: number) => dateAt(ms, timeZone, cutOff);
  let atMs = (Math.floor(sinceMs / quarterMs) + 1) * quarterMs;
  while (day(atMs) <= day(atMs - quarterMs)) atMs += quarterMs;
  return new Date(atMs);
}
