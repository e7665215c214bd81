import { describe, expect, it } from "vitest";
import { bankDayAfter, bankDayFrom } from "../../../shared/payments/bank-days.ts";

/** By the calendars that the European Central Bank and the Federal Reserve have published. */
describe("a day on which banks settle", () => {
  it.each([
    ["EUR", "2026-11-28 2026-11-30, 2026-11-30 2026-11-30, 2026-12-25 2026-12-28, 2027-01-01 2027-01-04"],
    ["EUR", "2026-04-03 2026-04-07, 2027-03-26 2027-03-30, 2028-04-14 2028-04-18, 2038-04-23 2038-04-27"],
    ["EUR", "2026-05-01 2026-05-04, 2026-07-03 2026-07-03"],
    ["USD", "2026-11-26 2026-11-27, 2026-05-25 2026-05-26, 2026-07-03 2026-07-03, 2027-07-05 2027-07-06"],
    ["USD", "2026-01-19 2026-01-20, 2026-02-16 2026-02-17, 2026-09-07 2026-09-08, 2026-10-12 2026-10-13"],
    ["USD", "2026-11-11 2026-11-12, 2026-06-19 2026-06-22, 2026-12-26 2026-12-28, 2026-04-03 2026-04-03"],
    ["GBP", "2026-12-25 2026-12-25, 2026-12-26 2026-12-28"],
  ])("of %s from the first on is the second of each of %s", (currency, days) => {
    for (const [from = "", day] of days.split(", ").map((pair) => pair.split(" ")))
      expect([from, bankDayFrom(from, currency)]).toEqual([from, day]);
  });

  it.each([
    ["EUR", "2026-12-23T20:00:00Z", 5, "Etc/UTC", "2026-12-31T00:00:00.000Z"],
    ["USD", "2026-12-23T20:00:00Z", 5, "Etc/UTC", "2026-12-31T00:00:00.000Z"],
    ["GBP", "2026-12-23T20:00:00Z", 5, "Etc/UTC", "2026-12-30T00:00:00.000Z"],
    ["EUR", "2026-04-02T12:00:00Z", 1, "Etc/UTC", "2026-04-07T00:00:00.000Z"],
    ["USD", "2026-04-02T12:00:00Z", 1, "Etc/UTC", "2026-04-03T00:00:00.000Z"],
    ["USD", "2026-11-25T12:00:00Z", 1, "America/New_York", "2026-11-27T05:00:00.000Z"],
    // It is the 27th there already.
    ["EUR", "2026-11-26T23:30:00Z", 1, "Europe/Bucharest", "2026-11-29T22:00:00.000Z"],
    // In between, the clocks go forward.
    ["EUR", "2027-03-25T12:00:00Z", 1, "Europe/Berlin", "2027-03-29T22:00:00.000Z"],
    ["EUR", "2026-12-25T12:00:00Z", 0, "Etc/UTC", "2026-12-25T00:00:00.000Z"],
  ])("of %s is found after %s and %i of them, in %s", (currency, at, days, timeZone, begins) => {
    expect(bankDayAfter(new Date(at), days, currency, timeZone).toISOString()).toBe(begins);
  });

  it("moves Easter as the Church's tables do", () => {
    const sundays = [2024, 2025, 2026, 2027, 2030, 2049, 2076, 2099].map((year) => {
      const fridays = Array.from({ length: 40 }, (_, day) => new Date(Date.UTC(year, 2, 18 + day)))
        .filter((date) => date.getUTCDay() === 5)
        .map((date) => date.toISOString().slice(0, 10));
      return fridays.find((friday) => bankDayFrom(friday, "EUR") !== friday);
    });
    expect(sundays).toEqual([
      ...["2024-03-29", "2025-04-18", "2026-04-03", "2027-03-26", "2030-04-19", "2049-04-16"],
      ...["2076-04-17", "2099-04-10"],
    ]);
  });
});
