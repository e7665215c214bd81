import { TZDate, tz } from "@date-fns/tz";
import {
  addDays,
  addMonths,
  addWeeks,
  addYears,
  startOfDay,
  startOfISOWeek,
  startOfMonth,
  startOfYear,
} from "date-fns";

const units = {
  day: [startOfDay, addDays],
  week: [startOfISOWeek, addWeeks],
  month: [startOfMonth, addMonths],
  year: [startOfYear, addYears],
} as const;

type CalendarUnit = keyof typeof units;

export function isCalendarUnit(name: string): name is CalendarUnit {
  return name in units;
}

/** A moment's day, ISO week, month or year in a time zone (IANA name). `until` begins the next. */
export function calendarPeriod(
  unit: CalendarUnit,
  atMs: number,
  timeZone: string,
): { readonly from: number; readonly until: number } {
  const [startOf, add] = units[unit];
  const zone = { in: tz(timeZone) };
  const start = startOf(atMs, zone);
  // Some days begin at one o'clock: a day is added first, then its beginning is found.
  const next = startOf(add(start, 1, zone), zone);
  return { from: start.getTime(), until: next.getTime() };
}

/** A day by its date, such as `2026-11-20`, of 23 to 25 hours. */
export function periodOfDate(date: string, timeZone: string) {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return calendarPeriod("day", new TZDate(year, month - 1, day, 12, timeZone).getTime(), timeZone);
}
