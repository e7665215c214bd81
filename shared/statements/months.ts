import { BoundedMap } from "../platform/bounded-map.ts";
import { dateAt, periodOfDate } from "../platform/calendar.ts";
import { type ProgramTime, timeZoneAt } from "../tenancy/programs/program-days.ts";

/** A calendar month of a Program, named like 2026-11. It begins where the one before ends. */
export interface Month {
  readonly period: string;
  readonly from: Date;
  readonly until: Date;
  readonly timeZone: string;
}

/** When Programs were created, by moment and time zone: working one out takes 0.05 ms. */
const firstDates = new BoundedMap<string, string>(1_000);

/**
 * The months from the Program's creation until `at`, the oldest first. A month has the time zone in
 * which it began, as the windows of controls do: a later zone changes no month that has begun.
 */
export function monthsUntil(program: ProgramTime, at: Date): Month[] {
  const createdMs = Date.parse(program.createdAt);
  const firstZone = timeZoneAt(program, createdMs);
  const key = `${createdMs} ${firstZone}`;
  const first = firstDates.getOrMake(key, () => dateAt(createdMs, firstZone));
  let [year, month] = [Number(first.slice(0, 4)), Number(first.slice(5, 7))];
  let { from } = periodOfDate("month", first, firstZone);
  const months: Month[] = [];
  while (from <= at.getTime()) {
    const timeZone = timeZoneAt(program, from);
    const period = `${year}-${String(month).padStart(2, "0")}`;
    const { until } = periodOfDate("month", `${period}-01`, timeZone);
    months.push({ period, from: new Date(from), until: new Date(until), timeZone });
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
    from = until;
  }
  return months;
}

/** Names the days of a month's moments, which come in order. */
export function dayNames({ period, timeZone }: Month): (atMs: number) => string {
  let [name, until] = ["", Number.NEGATIVE_INFINITY];
  return (atMs) => {
    if (atMs < until) return name;
    const day = dateAt(atMs, timeZone);
    ({ until } = periodOfDate("day", day, timeZone));
    // Where the month before ended in another time zone, this one begins on its first day.
    name = day.startsWith(period) ? day : `${period}-01`;
    return name;
  };
}
