import { Temporal } from "temporal-polyfill";
import { BoundedMap } from "./bounded-map.ts";
import { localMs, startOfDay } from "./time-zone.ts";

/** Each unit's first day, and how far the next one is. */
const units = {
  day: [(date: Temporal.PlainDate) => date, { days: 1 }],
  week: [(date: Temporal.PlainDate) => date.subtract({ days: date.dayOfWeek - 1 }), { weeks: 1 }],
  month: [(date: Temporal.PlainDate) => date.with({ day: 1 }), { months: 1 }],
  year: [(date: Temporal.PlainDate) => date.with({ month: 1, day: 1 }), { years: 1 }],
} as const;

type CalendarUnit = keyof typeof units;

interface Period {
  readonly from: number;
  readonly until: number;
}

export function isCalendarUnit(name: string): name is CalendarUnit {
  return name in units;
}

/** By unit, date and time zone: finding one takes 0.1 ms, and most are asked for again. */
const periods = new BoundedMap<string, Period>(1_000);

/** A moment's day, ISO week, month or year in a time zone (IANA name). `until` begins the next. */
export function calendarPeriod(unit: CalendarUnit, atMs: number, timeZone: string): Period {
  return periodOfDate(unit, dateAt(atMs, timeZone), timeZone);
}

/** A moment's date in a time zone, such as `2026-11-20`. */
export function dateAt(atMs: number, timeZone: string): string {
  return new Date(localMs(atMs, timeZone)).toISOString().slice(0, 10);
}

/** The day, ISO week, month or year of a date, such as `2026-11-20`. Days have 22 to 26 hours. */
export function periodOfDate(unit: CalendarUnit, date: string, timeZone: string): Period {
  return periods.getOrMake(`${unit} ${date} ${timeZone}`, () => {
    const [firstOf, length] = units[unit];
    const first = firstOf(Temporal.PlainDate.from(date));
    return { from: startOf(first, timeZone), until: startOf(first.add(length), timeZone) };
  });
}

/** When the n-th business day after a moment begins. Only weekends are no business days. */
export function businessDayAfter(at: Date, days: number, timeZone: string): Date {
  let date = Temporal.PlainDate.from(dateAt(at.getTime(), timeZone));
  for (let left = days; left > 0; ) {
    date = date.add({ days: 1 });
    if (date.dayOfWeek <= 5) left -= 1;
  }
  return new Date(startOf(date, timeZone));
}

function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return startOfDay(Date.parse(`${date.toString()}T00:00:00Z`), timeZone);
}
