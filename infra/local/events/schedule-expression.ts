/** When a schedule runs: the first time after a given one, in milliseconds. */
export type Timetable = (after: number) => number;

const UNIT_MS: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Reads AWS's `rate(…)`. Errors: anything else. */
export function readTimetable(expression: string): Timetable {
  const [, count, unit = "", plural] = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const periodMs = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(periodMs > 0) || (plural === "s") !== Number(count) > 1) {
    throw new Error(`${expression}: only rate(…) is known`);
  }
  // Whole periods since the epoch, so that the time-table is the same after a restart.
  return (after) => (Math.floor(after / periodMs) + 1) * periodMs;
}
