import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextMonthly } from "../../../shared/cards/maintenance-deadline.ts";

const at = (iso: string) => new Date(`${iso}:00.000Z`);

describe("the next monthly time", () => {
  test.each([
    ["2026-01-15T10:30", "2026-01-15T10:30", "2026-02-15T10:30"],
    ["2026-01-15T10:30", "2026-02-15T10:29", "2026-02-15T10:30"],
    ["2026-01-15T10:30", "2026-02-15T10:30", "2026-03-15T10:30"],
    ["2026-01-15T10:30", "2026-02-01T00:00", "2026-02-15T10:30"],
    ["2026-01-31T08:00", "2026-01-31T08:00", "2026-02-28T08:00"],
    ["2026-01-31T08:00", "2026-02-28T08:00", "2026-03-31T08:00"],
    ["2028-01-31T08:00", "2028-02-01T08:00", "2028-02-29T08:00"],
    ["2026-12-20T23:59", "2026-12-31T00:00", "2027-01-20T23:59"],
    ["2026-01-15T10:30", "2025-06-01T00:00", "2026-02-15T10:30"],
    ["2026-01-15T10:30", "2029-07-20T00:00", "2029-08-15T10:30"],
  ])("of %s after %s is %s", (from, after, next) => {
    expect(nextMonthly(at(from), at(after))).toEqual(at(next));
  });

  test("comes after every one before, each within 28 to 31 days, and always at the same time of day", () => {
    const dates = fc.date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (from) => {
        let last = from;
        for (let month = 0; month < 30; month += 1) {
          const next = nextMonthly(from, last);
          const days = (next.getTime() - last.getTime()) / 86_400_000;
          expect(days).toBeGreaterThanOrEqual(28);
          expect(days).toBeLessThanOrEqual(31);
          expect(next.toISOString().slice(10)).toBe(from.toISOString().slice(10));
          last = next;
        }
        expect(last.getUTCFullYear() * 12 + last.getUTCMonth()).toBe(
          from.getUTCFullYear() * 12 + from.getUTCMonth() + 30,
        );
      }),
    );
  });
});
