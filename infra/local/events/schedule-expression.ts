import { Cron } from "croner";

/** When a schedule runs: the first time after a given one, in milliseconds. Undefined: never again. */
export type Timetable = (after: number) => number | undefined;

const UNIT_MS: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** Reads AWS's `rate(…)` and `cron(…)`. Errors: anything else. */
export function readTimetable(expression: string, timeZone = "UTC"): Timetable {
  const rate = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression);
  if (rate !== null) {
    const [, count, unit = "", plural] = rate;
    const periodMs = Number(count) * (UNIT_MS[unit] ?? 0);
    if (periodMs > 0 && (plural === "s") === Number(count) > 1) {
      // Whole periods since the epoch, so that the time-table is the same after a restart.
      return (after) => (Math.floor(after / periodMs) + 1) * periodMs;
    }
  }
  const cron = /^cron\((.+)\)$/.exec(expression)?.[1]?.split(" ");
  if (cron?.length !== 6) throw new Error(`${expression}: only rate(…) and cron(…) are known`);
  const [minute, hour, dayOfMonth, month, dayOfWeek = "", year] = cron;
  // AWS counts the days of the week from 1, Sunday; a number after # or before L is a day too.
  const days = dayOfWeek.replace(/(?<![#\w/])[1-7](?!\d)/g, (day) => DAYS[Number(day) - 1] ?? day);
  const pattern = new Cron(`0 ${minute} ${hour} ${dayOfMonth} ${month} ${days} ${year}`, {
    timezone: timeZone,
    mode: "7-part",
    sloppyRanges: true,
  });
  return (after) => pattern.nextRun(new Date(after))?.getTime();
}
