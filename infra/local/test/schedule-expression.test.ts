import { describe, expect, it } from "vitest";
import { readRate } from "../events/schedules.ts";

describe("a schedule expression", () => {
  it.each([
    ["rate(1 minute)", "2026-03-01T10:00:30Z", "2026-03-01T10:01:00.000Z"],
    ["rate(1 minute)", "2026-03-01T10:01:00Z", "2026-03-01T10:02:00.000Z"],
    ["rate(12 hours)", "2026-03-01T10:00:00Z", "2026-03-01T12:00:00.000Z"],
    ["rate(1 day)", "2026-03-01T10:00:00Z", "2026-03-02T00:00:00.000Z"],
  ])("%s after %s is %s", (expression, after, expected) => {
    expect(new Date(readRate(expression)(Date.parse(after))).toISOString()).toBe(expected);
  });

  it.each([
    "rate(1 minutes)",
    "rate(2 minute)",
    "rate(0 minutes)",
    "at(2026-01-01T00:00:00)",
    "cron(0 6 * * ? *)",
    "",
  ])("refuses %s", (expression) => {
    expect(() => readRate(expression)).toThrow(`${expression}: only rate(…) is known`);
  });
});
