import { describe, expect, test } from "vitest";
import { compileTransition, type TransitionTable } from "../../../../shared/platform/table/transition.ts";

const doors: TransitionTable<0 | 1 | 2, "open" | "lock" | "toggle" | "paint"> = [
  { from: 0, trigger: "open", to: 1 },
  { from: 2, trigger: "open", to: 1 },
  { from: 0, trigger: "lock", to: 2 },
  { from: 0, trigger: "toggle", to: 1 },
  { from: 1, trigger: "toggle", to: 0 },
];

describe("a transition", () => {
  test("becomes the condition of its write", () => {
    expect(compileTransition(doors, "open", "status")).toEqual({
      from: [0, 2],
      to: 1,
      condition: "#status IN (:statusFrom0, :statusFrom1)",
      names: { "#status": "status" },
      conditionValues: { ":statusFrom0": 0, ":statusFrom1": 2 },
      values: { ":statusFrom0": 0, ":statusFrom1": 2, ":status": 1 },
    });
  });

  test("of another attribute shares no placeholder with it, but for the literal text of its name", () => {
    const [status, other] = ["status", "cardStatus"].map((name) => compileTransition(doors, "lock", name));
    const names = [status, other].flatMap((one) => Object.keys({ ...one?.names, ...one?.values }));
    expect(new Set(names).size).toBe(names.length);
  });

  test("must stand in the table, and lead to one status", () => {
    expect(() => compileTransition(doors, "paint", "status")).toThrow("paint");
    expect(() => compileTransition(doors, "toggle", "status")).toThrow("toggle");
  });
});
