import { describe, expect, it } from "vitest";
import { dayNames, monthsUntil } from "../../../shared/statements/months.ts";

const names = (months: ReturnType<typeof monthsUntil>) =>
  months.map(({ period, from, until }) => `${period} ${from.toISOString()} ${until.toISOString()}`);

const program = (timeZone: string, formerTimeZones?: { timeZone: string; until: string }[]) => ({
  createdAt: "2026-09-30T23:30:00.000Z",
  settings: { timeZone },
  formerTimeZones,
});

describe("the months of a Program", () => {
  it("begin and end at midnight of its time zone, through daylight saving", () => {
    expect(names(monthsUntil(program("Europe/Berlin"), new Date("2026-11-10T00:00:00.000Z")))).toEqual([
      "2026-10 2026-09-30T22:00:00.000Z 2026-10-31T23:00:00.000Z",
      "2026-11 2026-10-31T23:00:00.000Z 2026-11-30T23:00:00.000Z",
    ]);
  });

  it("follow each other without a gap when the time zone changes, and a month that has begun stays", () => {
    const until = "2026-11-15T00:00:00.000Z";
    const changed = program("America/New_York", [{ timeZone: "Europe/Berlin", until }]);
    expect(names(monthsUntil(changed, new Date("2027-01-20T00:00:00.000Z")))).toEqual([
      "2026-10 2026-09-30T22:00:00.000Z 2026-10-31T23:00:00.000Z",
      "2026-11 2026-10-31T23:00:00.000Z 2026-11-30T23:00:00.000Z",
      "2026-12 2026-11-30T23:00:00.000Z 2027-01-01T05:00:00.000Z",
      "2027-01 2027-01-01T05:00:00.000Z 2027-02-01T05:00:00.000Z",
    ]);
  });

  it("know the first one, and end with the one that has begun", () => {
    const months = monthsUntil(program("Etc/UTC"), new Date("2026-12-01T00:00:00.000Z"));
    expect(months.map(({ period }) => period)).toEqual(["2026-09", "2026-10", "2026-11", "2026-12"]);
  });
});

describe("the days of a month", () => {
  it("are those of its time zone, of 23 and 25 hours too", () => {
    const [, october] = monthsUntil(program("America/Sao_Paulo"), new Date("2026-12-01T00:00:00.000Z"));
    expect(october?.period).toBe("2026-10");
    const [september = october] = monthsUntil(program("Europe/Berlin"), new Date("2026-10-30T00:00:00.000Z"));
    const toDay = dayNames(september as never);
    const times = ["2026-10-24T21:59:59.999Z", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"];
    expect(times.map((time) => toDay(Date.parse(time)))).toEqual(["2026-10-24", "2026-10-25", "2026-10-25"]);
  });

  it("begin with the first where the month before ended in another time zone", () => {
    const until = "2026-11-15T00:00:00.000Z";
    const changed = program("America/New_York", [{ timeZone: "Europe/Berlin", until }]);
    const december = monthsUntil(changed, new Date("2026-12-20T00:00:00.000Z")).at(-1);
    const toDay = dayNames(december as never);
    expect(toDay(Date.parse("2026-12-01T01:00:00.000Z"))).toBe("2026-12-01");
    expect(toDay(Date.parse("2026-12-02T01:00:00.000Z"))).toBe("2026-12-01");
    expect(toDay(Date.parse("2026-12-02T06:00:00.000Z"))).toBe("2026-12-02");
  });
});
