import { describe, expect, test } from "vitest";
import { findStep, type TransitionTable } from "../../../../shared/platform/table/transition.ts";

const doors: TransitionTable<0 | 1 | 2, "open" | "lock" | "toggle" | "paint"> = [
  { from: 0, trigger: "open", to: 1 },
  { from: 2, trigger: "open", to: 1 },
  { from: 0, trigger: "lock", to: 2 },
  { from: 0, trigger: "toggle", to: 1 },
  { from: 1, trigger: "toggle", to: 0 },
];

describe("a transition", () => {
  test("leads from every status that permits its trigger to one", () => {
    expect(findStep(doors, "open")).toEqual({ from: [0, 2], to: 1 });
  });

  test("is rejected if the table does not have its trigger, or leads to two statuses", () => {
    expect(() => findStep(doors, "paint")).toThrow("paint");
    expect(() => findStep(doors, "toggle")).toThrow("toggle");
  });
});
