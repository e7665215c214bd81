import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { makeFiles } from "../../shared/payments/make-files.ts";
import { hourAt } from "../../shared/platform/calendar.ts";
import { now } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

const hourMs = 3_600_000;
/** Where the clock goes forward, a day may lack the hour. */
const mostHours = 49;

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
  const hour = cutOff === undefined || isBegun ? from : findHour(from, cutOff, timeZone);
  if (hour > at) {
    await transact([deadlineClaim(deadline, hour)]);
    return;
  }
  const before = underWay.get(programId) ?? makeFiles(programId).finally(() => underWay.delete(programId));
  underWay.set(programId, before);
  await before;
}

/** The first full hour from then on that is this one of the Program's day. */
function findHour(from: Date, cutOff: number, timeZone: string): Date {
  const first = Math.ceil(from.getTime() / hourMs) * hourMs;
  const hours = Array.from({ length: mostHours }, (_, index) => first + index * hourMs);
  return new Date(hours.find((atMs) => hourAt(atMs, timeZone) === cutOff) ?? first);
}
