import { Temporal } from "temporal-polyfill";
import { offsetAt, readZone, timeZoneOffsets, type Zone } from "../contract/time-zones.ts";
import { BoundedMap } from "./bounded-map.ts";
import { dayMs, hourMs, minuteMs } from "./clock.ts";

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

/** A moment's date in a time zone, such as `2026-11-20`. Days may begin at another hour than 0. */
export function dateAt(atMs: number, timeZone: string, hour = 0): string {
  return new Date(localMs(atMs, timeZone) - hour * hourMs).toISOString().slice(0, 10);
}

/** The day, ISO week, month or year of a date, such as `2026-11-20`. Days have 22 to 26 hours. */
export function periodOfDate(unit: CalendarUnit, date: string, timeZone: string): Period {
  return periods.getOrMake(`${unit} ${date} ${timeZone}`, () => {
    const [firstOf, length] = units[unit];
    const first = firstOf(Temporal.PlainDate.from(date));
    return { from: startOfDate(first, timeZone), until: startOfDate(first.add(length), timeZone) };
  });
}

/** Full hours of all time zones begin with one. */
export const quarterMs = hourMs / 4;

export function nextQuarter(atMs: number): Date {
  return new Date(atMs + quarterMs - (atMs % quarterMs));
}

/** The next full hour of a time zone's clock, maybe at a quarter of one of UTC. */
export function nextHour(atMs: number, timeZone: string): Date {
  return new Date(atMs + hourMs - (localMs(atMs, timeZone) % hourMs));
}

/** When the n-th business day after a moment begins. Only weekends are no business days. */
export function businessDayAfter(at: Date, days: number, timeZone: string): Date {
  let date = Temporal.PlainDate.from(dateAt(at.getTime(), timeZone));
  for (let left = days; left > 0; ) {
    date = date.add({ days: 1 });
    if (date.dayOfWeek <= 5) left -= 1;
  }
  return new Date(startOfDate(date, timeZone));
}

function startOfDate(date: Temporal.PlainDate, timeZone: string): number {
  return startOfDay(Date.parse(`${date.toString()}T00:00:00Z`), timeZone);
}

/** The end of the table. Nobody knows what is later: Node's data decide. */
const tableEnds = Date.UTC(2060, 0, 1);

/**
 * Days and months do not depend on the time zone data of the Node that runs: those of two Lambdas,
 * or of a Lambda and the operator's machine, may differ. The table is the platform's own.
 */
const zones = new BoundedMap<string, Zone>(100);

function findZone(timeZone: string): Zone {
  return zones.getOrMake(timeZone, () => {
    const packed = timeZoneOffsets(timeZone);
    if (packed === undefined) throw new RangeError(`There is no time zone ${timeZone}.`);
    return readZone(packed);
  });
}

function offsetIn(timeZone: string, atMs: number): number {
  const zone = findZone(timeZone);
  if (atMs < tableEnds) return offsetAt(zone, atMs);
  const later = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone);
  return later.offsetNanoseconds / (minuteMs * 1_000_000);
}

/** The moment as if it were in UTC. */
function localMs(atMs: number, timeZone: string): number {
  return atMs + offsetIn(timeZone, atMs) * minuteMs;
}

/** The first moment of a day, which is given as if it were in UTC. Some begin at one o'clock. */
function startOfDay(midnightMs: number, timeZone: string): number {
  const before = offsetIn(timeZone, midnightMs - dayMs);
  const after = offsetIn(timeZone, midnightMs + dayMs);
  const possible = [before, after]
    .map((offset) => midnightMs - offset * minuteMs)
    .filter((atMs) => localMs(atMs, timeZone) === midnightMs);
  if (possible.length > 0) return Math.min(...possible);
  // The clock jumps over midnight: the day begins when it does.
  const [earliest, latest] = [midnightMs - after * minuteMs, midnightMs - before * minuteMs];
  const jump = findZone(timeZone).changes.find(
    ([at]) => at * minuteMs >= earliest && at * minuteMs <= latest,
  );
  return jump === undefined ? latest : jump[0] * minuteMs;
}
