import { periodOfDate } from "../platform/calendar.ts";
import { settleMs } from "../proofs/checkpoint.ts";

/** A day of a Program, of 22 to 26 hours. */
export interface BooksDay {
  /** Such as `2026-11-20`. */
  readonly date: string;
  readonly timeZone: string;
  readonly from: Date;
  /** The first moment of the next day. */
  readonly until: Date;
}

export function toBooksDay(date: string, timeZone: string): BooksDay {
  const { from, until } = periodOfDate("day", date, timeZone);
  return { date, timeZone, from: new Date(from), until: new Date(until) };
}

/** Whether no commit under way can still add an entry to the day. */
export function isClosed({ until }: BooksDay, at: Date): boolean {
  return at.getTime() >= until.getTime() + settleMs;
}
