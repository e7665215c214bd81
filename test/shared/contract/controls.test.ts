import { describe, expect, it } from "vitest";
import { ControlCreate, durationMinutes } from "../../../shared/contract/controls.ts";

describe("the duration of a window", () => {
  it.each([
    ["PT10M", 10],
    ["PT36H", 2_160],
    ["P1D", 1_440],
    ["P1DT2H30M", 1_590],
    ["P90D", 129_600],
    ["PT129600M", 129_600],
  ])("%s has %i minutes, and is accepted", (window, minutes) => {
    expect(durationMinutes(window)).toBe(minutes);
    const control = { name: "Limit", velocity: { amount: 1, window } };
    expect(ControlCreate.safeParse(control).success).toBe(true);
  });

  it.each(["P", "PT", "P1DT", "P1M", "P1W", "PT10S", "PT1.5H", "-PT10M", "10", "P100D", "pt10m", ""])(
    "%s is none",
    (window) => {
      expect(durationMinutes(window)).toBeUndefined();
      const control = { name: "Limit", velocity: { amount: 1, window } };
      expect(ControlCreate.safeParse(control).success).toBe(false);
    },
  );
});
