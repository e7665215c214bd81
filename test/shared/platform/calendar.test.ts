import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { timeZoneTable } from "../../../shared/contract/time-zone-table.ts";
import { timeZoneOffsets } from "../../../shared/contract/time-zones.ts";
import { businessDayAfter, calendarPeriod, dateAt, periodOfDate } from "../../../shared/platform/calendar.ts";

const hours = ({ from, until }: { from: number; until: number }) => (until - from) / 3_600_000;
const starts = (date: string, zone: string) => new Date(periodOfDate("day", date, zone).from).toJSON();

/**
 * The boundaries must be these on every machine. If this fails, the table has changed. That is
 * right only by `npm run time-zones -- <date>`, with a date after the deployment, since periods
 * that were closed keep their boundaries. Then the new ones come here.
 */
describe("the table of time zones", () => {
  it("is the one that was decided on", () => {
    const digest = createHash("sha256").update(JSON.stringify(timeZoneTable)).digest("hex");
    expect([timeZoneTable.version, digest.slice(0, 16)]).toEqual(["2026f", "be4c871e8d89031f"]);
  });

  it.each([
    ["Africa/Casablanca", "2026-09-19", "2026-09-18T23:00:00.000Z"],
    ["Africa/Casablanca", "2026-09-21", "2026-09-21T00:00:00.000Z"],
    ["America/Edmonton", "2026-11-02", "2026-11-02T06:00:00.000Z"],
    ["America/Havana", "2026-11-02", "2026-11-02T04:00:00.000Z"],
    ["America/Vancouver", "2026-11-02", "2026-11-02T07:00:00.000Z"],
    ["America/Vancouver", "2025-11-03", "2025-11-03T08:00:00.000Z"],
    ["Asia/Kolkata", "2026-11-02", "2026-11-01T18:30:00.000Z"],
    ["Asia/Kathmandu", "2026-11-02", "2026-11-01T18:15:00.000Z"],
    ["Pacific/Kiritimati", "2026-11-02", "2026-11-01T10:00:00.000Z"],
    ["Etc/UTC", "2026-11-02", "2026-11-02T00:00:00.000Z"],
  ])("in %s, %s begins at %s", (zone, date, start) => {
    expect(starts(date, zone)).toBe(start);
  });

  it.each([
    ["Antarctica/Troll", "2027-03-28", 22],
    ["Europe/Berlin", "2027-03-28", 23],
    ["Australia/Lord_Howe", "2027-10-03", 23.5],
    ["Europe/Berlin", "2027-03-29", 24],
    ["Europe/Berlin", "2026-10-25", 25],
    ["Antarctica/Troll", "2026-10-25", 26],
  ])("in %s, %s has %d hours", (zone, date, length) => {
    expect(hours(periodOfDate("day", date, zone))).toBe(length);
  });

  it("begins a day at one o'clock where the clock jumps over midnight", () => {
    expect(starts("2027-04-30", "Africa/Cairo")).toBe("2027-04-29T22:00:00.000Z");
    expect(hours(periodOfDate("day", "2027-04-30", "Africa/Cairo"))).toBe(23);
    expect(dateAt(Date.parse("2027-04-29T21:59:59.999Z"), "Africa/Cairo")).toBe("2027-04-29");
  });

  it("begins a day once where midnight comes twice", () => {
    const { from, until } = periodOfDate("day", "2024-11-03", "America/Havana");
    expect([new Date(from).toJSON(), hours({ from, until })]).toEqual(["2024-11-03T04:00:00.000Z", 25]);
  });
});

describe("periods", () => {
  const zones = timeZoneTable.zones.map(([names]) => names.split(" ")[0] ?? "");

  it("of each zone follow on each other, and have their own moments", () => {
    // An assertion for each would take most of the time.
    const wrong: string[] = [];
    for (const zone of zones)
      for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2028, 0, 1); day += 86_400_000) {
        const date = new Date(day).toJSON().slice(0, 10);
        const { from, until } = periodOfDate("day", date, zone);
        const isRight = dateAt(from, zone) === date && dateAt(until - 1, zone) === date;
        if (!isRight || calendarPeriod("day", until, zone).from !== until) wrong.push(`${zone} ${date}`);
      }
    expect(wrong).toEqual([]);
  });

  it("after the table are those of Node's data, and follow on it", () => {
    for (const zone of ["Europe/Berlin", "Australia/Sydney", "America/New_York"]) {
      const year = periodOfDate("year", "2059-06-01", zone);
      expect(calendarPeriod("year", year.until, zone).from).toBe(year.until);
      expect(hours(periodOfDate("year", "2071-06-01", zone))).toBe(365 * 24);
    }
  });

  it("are weeks from Monday, months and years", () => {
    const at = Date.parse("2027-03-28T12:00:00Z");
    const of = (unit: "week" | "month" | "year") => {
      const { from, until } = calendarPeriod(unit, at, "Europe/Berlin");
      return [from, until].map((moment) => new Date(moment).toJSON());
    };
    expect(of("week")).toEqual(["2027-03-21T23:00:00.000Z", "2027-03-28T22:00:00.000Z"]);
    expect(of("month")).toEqual(["2027-02-28T23:00:00.000Z", "2027-03-31T22:00:00.000Z"]);
    expect(of("year")).toEqual(["2026-12-31T23:00:00.000Z", "2027-12-31T23:00:00.000Z"]);
  });

  it("leave weekends out of business days", () => {
    const friday = new Date("2026-10-23T10:00:00Z");
    expect(businessDayAfter(friday, 1, "Europe/Berlin").toJSON()).toBe("2026-10-25T23:00:00.000Z");
  });

  it("need a zone of the table", () => {
    expect(() => dateAt(0, "Europe/Nowhere")).toThrow(RangeError);
    expect(
      ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Calcutta"].map(timeZoneOffsets),
    ).not.toContain(undefined);
    expect(["europe/berlin", "CET", "Etc/GMT+5", "US/Pacific", ""].map(timeZoneOffsets)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });
});
