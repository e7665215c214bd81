import { dateAt, periodOfDate } from "../platform/calendar.ts";

/** Days without settlement, beside weekends. Other currencies have weekends alone. */
const holidays: Readonly<Record<string, (year: number) => readonly string[]>> = {
  /** TARGET, by which euros move. */
  EUR: (year) => [
    `${year}-01-01`,
    ...[-2, 1].map((days) => addDays(easterSunday(year), days)),
    `${year}-05-01`,
    `${year}-12-25`,
    `${year}-12-26`,
  ],
  /** The Federal Reserve: a Sunday's holiday is on the Monday, a Saturday's on no other day. */
  USD: (year) => [
    ...["01-01", "06-19", "07-04", "11-11", "12-25"].map((day) => afterSunday(`${year}-${day}`)),
    ...[nthMonday(year, 1, 3), nthMonday(year, 2, 3), nthMonday(year, 9, 1), nthMonday(year, 10, 2)],
    lastMondayOfMay(year),
    nthThursdayOfNovember(year, 4),
  ],
};

/** The date, or the next one on which banks settle the currency: `2026-12-28` after Christmas. */
export function bankDayFrom(date: string, currency: string): string {
  let day = date;
  while (!isBankDay(day, currency)) day = addDays(day, 1);
  return day;
}

/** When the n-th day after a moment begins on which banks settle the currency. */
export function bankDayAfter(at: Date, days: number, currency: string, timeZone: string): Date {
  let date = dateAt(at.getTime(), timeZone);
  for (let left = days; left > 0; left -= 1) date = bankDayFrom(addDays(date, 1), currency);
  return new Date(periodOfDate("day", date, timeZone).from);
}

function isBankDay(date: string, currency: string): boolean {
  const weekday = toWeekday(date);
  const isWeekend = weekday === 0 || weekday === 6;
  return !isWeekend && !holidays[currency]?.(Number(date.slice(0, 4))).includes(date);
}

const toWeekday = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay();

function addDays(date: string, days: number): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

const afterSunday = (date: string) => (toWeekday(date) === 0 ? addDays(date, 1) : date);

/** Weekday 1 is Monday. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = `${year}-${String(month).padStart(2, "0")}-01`;
  return addDays(first, ((weekday - toWeekday(first) + 7) % 7) + 7 * (nth - 1));
}

const nthMonday = (year: number, month: number, nth: number) => nthWeekday(year, month, 1, nth);
const nthThursdayOfNovember = (year: number, nth: number) => nthWeekday(year, 11, 4, nth);
const lastMondayOfMay = (year: number) => addDays(nthMonday(year, 6, 1), -7);

/** By the Gregorian calendar: the Sunday after the Church's full moon of spring. */
function easterSunday(year: number): string {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const solar = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25);
  const epact = (solar + 19 * golden + 15) % 30;
  const moon =
    epact - Math.floor(epact / 28) * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11));
  const leaps = year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4);
  return addDays(`${year}-03-28`, moon - (leaps % 7));
}
