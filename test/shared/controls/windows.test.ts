import { describe, expect, it, test } from "vitest";
import { periodAt, rollingStart } from "../../../shared/controls/usage.ts";

const settings = (timeZone: string) => ({ activatedMs: Date.parse("2026-01-01T09:00:00Z"), timeZone });
const iso = (ms: number | undefined) =>
  ms !== undefined && new Date(ms).toISOString().replace(":00.000Z", "Z");

describe("a calendar window", () => {
  test.each([
    ["day", "2026-11-23T23:59:59.999Z", "Etc/UTC", "2026-11-23T00:00Z", "2026-11-24T00:00Z"],
    ["day", "2026-11-24T00:00:00.000Z", "Etc/UTC", "2026-11-24T00:00Z", "2026-11-25T00:00Z"],
    // The clock is set forward: 23 hours.
    ["day", "2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    // And back: 25 hours.
    ["day", "2026-10-25T22:30:00Z", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z"],
    // It begins at one o'clock, because midnight is skipped.
    ["day", "2018-11-04T12:00:00Z", "America/Sao_Paulo", "2018-11-04T03:00Z", "2018-11-05T02:00Z"],
    // Midnight comes twice.
    ["day", "2025-11-02T05:30:00Z", "America/Havana", "2025-11-02T04:00Z", "2025-11-03T05:00Z"],
    ["week", "2026-11-22T23:00:00Z", "Etc/UTC", "2026-11-16T00:00Z", "2026-11-23T00:00Z"],
    ["week", "2026-11-22T23:00:00Z", "Europe/Berlin", "2026-11-22T23:00Z", "2026-11-29T23:00Z"],
    ["month", "2026-04-01T03:59:00Z", "America/New_York", "2026-03-01T05:00Z", "2026-04-01T04:00Z"],
    ["year", "2026-12-31T11:00:00Z", "Pacific/Auckland", "2026-12-31T11:00Z", "2027-12-31T11:00Z"],
  ] as const)("%s at %s in %s", (window, at, zone, from, until) => {
    const period = periodAt(window, Date.parse(at), settings(zone));
    expect([iso(period?.from), iso(period?.until)]).toEqual([from, until]);
  });
});

it("a lifetime begins at the activation and has no end", () => {
  expect(periodAt("lifetime", Date.now(), settings("Etc/UTC"))).toEqual({ from: settings("").activatedMs });
});

it("a single authorization has no period", () => {
  expect(periodAt("authorization", Date.now(), settings("Etc/UTC"))).toBeUndefined();
});

describe("a rolling window", () => {
  test.each([
    ["PT10M", 10_000],
    ["PT1H", 30_000],
    ["P1D", 720_000],
    ["P90D", 64_800_000],
  ])("%s counts for its length, and for less than a step of %i ms more", (window, stepMs) => {
    const lengthMs = { PT10M: 600_000, PT1H: 3_600_000, P1D: 86_400_000, P90D: 7_776_000_000 }[window] ?? 0;
    for (const at of [0, 1, stepMs - 1, stepMs, 12_345_678_901]) {
      const { from, until = 0 } = periodAt(window, at, settings("Etc/UTC")) ?? { from: Number.NaN };
      expect(from % stepMs).toBe(0);
      expect(until - at).toBeGreaterThan(lengthMs);
      expect(until - at).toBeLessThanOrEqual(lengthMs + stepMs);
      // The oldest period that counts is the one that begins the window.
      expect(rollingStart(window, at + lengthMs)).toBe(from);
    }
  });
});
