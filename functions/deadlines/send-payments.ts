import type { ProgramSettings } from "../../shared/contract/account-programs.ts";
import { makeFiles } from "../../shared/payments/make-files.ts";
import { sending } from "../../shared/payments/payment.ts";
import { dateAt, nextHour, nextQuarter, quarterMs } from "../../shared/platform/calendar.ts";
import { now } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/** One at a time of a Program: thousands of payments are due with it. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Sends what is pending at the Program's hour, else each full hour. What a file has is due no more;
 * without time for all, the next sweep goes on.
 */
export async function sendDuePayments(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId, dueAt } = deadline;
  const { settings } = await getProgram(programId);
  const at = now();
  const sinceMs = settings.bankAccount === undefined ? at.getTime() : sending.parse(deadline).sinceMs;
  // A file that was interrupted after the Program's hour does not wait for the next day's.
  const hour = sinceMs === undefined ? dueAt : findHour(sinceMs, settings);
  if (hour > at) {
    await transact([deadlineClaim(deadline, hour)]);
    return;
  }
  const before = underWay.get(programId) ?? makeFiles(programId).finally(() => underWay.delete(programId));
  underWay.set(programId, before);
  await before;
}

/** When the clock of the Program's day next comes to its hour, or jumps over it. */
function findHour(sinceMs: number, { cutOff, timeZone }: ProgramSettings): Date {
  if (cutOff === undefined) return nextHour(sinceMs, timeZone);
  /** An hour that comes twice in a day is one. */
  const day = (ms: number) => dateAt(ms, timeZone, cutOff);
  let atMs = nextQuarter(sinceMs).getTime();
  while (day(atMs) <= day(atMs - quarterMs)) atMs += quarterMs;
  return new Date(atMs);
}
