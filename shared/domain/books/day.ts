import { TZDate } from "@date-fns/tz";
import { calendarPeriod } from "../../platform/calendar.ts";
import { settleMs } from "../proofs/checkpoint.ts";

/** A day of a Program, of 23 to 25 hours. */
export interface BooksDay {
  /** Such as `2026-11-20`. */
  readonly date: string;
  readonly timeZone: string;
  readonly from: Date;
  /** The first moment of the next day. */
  readonly until: Date;
}

/** Undefined for a date that no calendar has. */
export function toBooksDay(date: string, timeZone: string): BooksDay | undefined {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const noon = new TZDate(year, month - 1, day, 12, timeZone);
  if (noon.getMonth() !== month - 1 || noon.getDate() !== day) return undefined;
  const { from, until } = calendarPeriod("day", noon.getTime(), timeZone);
  return { date, timeZone, from: new Date(from), until: new Date(until) };
}

/** Whether no commit under way can still add an entry to the day. */
export function isClosed({ until }: BooksDay, at: Date): boolean {
  return at.getTime() >= until.getTime() + settleMs;
}
