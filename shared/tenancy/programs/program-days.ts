import { dateAt, periodOfDate } from "../../platform/calendar.ts";
import { dayMs } from "../../platform/clock.ts";
import type { Program } from "./program.ts";

export type ProgramTime = Pick<Program, "createdAt" | "formerTimeZones"> & {
  readonly settings: Pick<Program["settings"], "timeZone">;
};

type Day = Readonly<{ date: string; timeZone: string; from: Date; until: Date }>;

/** Begins where the one before ends. One that is over by then in a new time zone is empty. */
export function programDay(program: ProgramTime, date: string): Day {
  const noonMs = Date.parse(`${date}T12:00:00Z`);
  const isNear = program.formerTimeZones?.some((one) => Math.abs(Date.parse(one.until) - noonMs) < 3 * dayMs);
  const before = isNear && programDay(program, dateAt(noonMs - dayMs, "Etc/UTC")).until.getTime();
  const timeZone = timeZoneAt(program, before || noonMs);
  const { from, until } = periodOfDate("day", date, timeZone);
  const begin = before || from;
  return { date, timeZone, from: new Date(begin), until: new Date(Math.max(begin, until)) };
}

export function timeZoneAt({ formerTimeZones = [], settings }: ProgramTime, atMs: number): string {
  const former = formerTimeZones.find(({ until }) => atMs < Date.parse(until));
  return (former ?? settings).timeZone;
}

/** The day of a moment. No change of the time zone begins or ends one. */
export function programDateAt(program: ProgramTime, at: Date): string {
  const date = dateAt(at.getTime(), program.settings.timeZone);
  if (!program.formerTimeZones) return date;
  const near = [-2, -1, 0, 1, 2].map((days) => Date.parse(date) + days * dayMs);
  const days = near.map((atMs) => programDay(program, dateAt(atMs, "Etc/UTC")));
  return days.find(({ from, until }) => from <= at && at < until)?.date ?? date;
}
