import { describe, expect, it } from "vitest";
import { readTimetable } from "../../infra/local/events/schedule-expression.ts";

const next = (expression: string, after: string, zone?: string) =>
  new Date(readTimetable(expression, zone)(Date.parse(after)) ?? Number.NaN).toISOString();

describe("a schedule expression", () => {
  it.each([
    ["rate(1 minute)", "2026-03-01T10:00:30Z", "2026-03-01T10:01:00.000Z"],
    ["rate(1 minute)", "2026-03-01T10:01:00Z", "2026-03-01T10:02:00.000Z"],
    ["rate(12 hours)", "2026-03-01T10:00:00Z", "2026-03-01T12:00:00.000Z"],
    ["cron(0/15 * * * ? *)", "2026-03-01T10:07:00Z", "2026-03-01T10:15:00.000Z"],
    ["cron(30 6 1 * ? *)", "2026-03-01T10:07:00Z", "2026-04-01T06:30:00.000Z"],
    // 2026-03-01 is a Sunday, AWS's day 1.
    ["cron(0 12 ? * 1 *)", "2026-03-02T00:00:00Z", "2026-03-08T12:00:00.000Z"],
    ["cron(0 12 ? * 2-6 *)", "2026-03-06T13:00:00Z", "2026-03-09T12:00:00.000Z"],
    ["cron(0 12 ? * MON#2 *)", "2026-03-01T00:00:00Z", "2026-03-09T12:00:00.000Z"],
    ["cron(0 12 ? * 2#2 *)", "2026-03-01T00:00:00Z", "2026-03-09T12:00:00.000Z"],
    ["cron(0 0 L * ? *)", "2026-02-03T00:00:00Z", "2026-02-28T00:00:00.000Z"],
    ["cron(0 0 1 1 ? 2030)", "2026-02-03T00:00:00Z", "2030-01-01T00:00:00.000Z"],
  ])("%s after %s is %s", (expression, after, expected) => {
    expect(next(expression, after)).toBe(expected);
  });

  it("follows the time zone of a schedule", () => {
    expect(next("cron(0 9 * * ? *)", "2026-07-01T00:00:00Z", "Europe/Berlin")).toBe(
      "2026-07-01T07:00:00.000Z",
    );
  });

  it("ends with its last year", () => {
    expect(readTimetable("cron(0 0 1 1 ? 2025)")(Date.parse("2026-01-01"))).toBeUndefined();
  });

  it.each([
    "rate(1 minutes)",
    "rate(2 minute)",
    "rate(0 minutes)",
    "at(2026-01-01T00:00:00)",
    "cron(* * * * *)",
    "",
  ])("refuses %s", (expression) => {
    expect(() => readTimetable(expression)).toThrow();
  });
});
