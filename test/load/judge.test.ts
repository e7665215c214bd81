import { describe, expect, it } from "vitest";
import { Deliveries } from "../tools/load/deliveries.ts";
import { countErrors, judge } from "../tools/load/judge.ts";
import { defaultLimits, type Sample } from "../tools/load/kinds.ts";

const limits = { ...defaultLimits, transfer: 100 };

function transfers(count: number, latencyMs: number, error?: string): Sample[] {
  return Array.from({ length: count }, () => ({ kind: "transfer", intendedMs: 0, latencyMs, error }));
}

function isKept(samples: readonly Sample[]): boolean | undefined {
  return judge(samples, limits).find(({ kind }) => kind === "transfer")?.isKept;
}

describe("a limit", () => {
  it("is kept while at most 1 % is late or fails", () => {
    expect(isKept([...transfers(99, 100), ...transfers(1, 101)])).toBe(true);
    expect(isKept([...transfers(98, 100), ...transfers(2, 101)])).toBe(false);
    expect(isKept([...transfers(98, 1), ...transfers(1, 101), ...transfers(1, 1, "500")])).toBe(false);
    expect(isKept([])).toBe(true);
  });

  it("is held against each kind by itself", () => {
    const samples = [...transfers(1, 101), { kind: "read", intendedMs: 0, latencyMs: 101 } as const];
    expect(judge(samples, limits).map((one) => [one.kind, one.count, one.isKept])).toEqual([
      ["authorization", 0, true],
      ["clearing", 0, true],
      ["transfer", 1, false],
      ["read", 1, true],
      ["webhook", 0, true],
    ]);
  });

  it("has the failures counted by cause", () => {
    const samples = [...transfers(2, 1, "503 UNAVAILABLE"), ...transfers(1, 1, "ECONNRESET")];
    expect(countErrors([...samples, ...transfers(5, 1)])).toEqual([
      { cause: "transfer: 503 UNAVAILABLE", count: 2 },
      { cause: "transfer: ECONNRESET", count: 1 },
    ]);
  });
});

describe("deliveries", () => {
  const hold = { cardId: "crd_1", result: 1, amount: 7 };
  const given = () => {
    const samples: Sample[] = [];
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const deliveries = new Deliveries(clock, (sample) => samples.push(sample));
    const at = (ms: number) => {
      nowMs = ms;
      return deliveries;
    };
    return { samples, at, deliveries };
  };

  it("count from the answer to the first byte", () => {
    const { samples, at, deliveries } = given();
    at(100).expect(hold);
    at(100).expect({ ...hold, result: 3 });
    expect(deliveries.undelivered).toBe(2);
    at(130).arrive(hold, 120);
    expect(samples).toEqual([{ kind: "webhook", intendedMs: 100, latencyMs: 20 }]);
    expect(deliveries.undelivered).toBe(1);
  });

  it("take no time where they come before the answer", () => {
    const { samples, at, deliveries } = given();
    at(90).arrive(hold, 90);
    at(100).expect(hold);
    expect(samples).toEqual([{ kind: "webhook", intendedMs: 100, latencyMs: 0 }]);
    expect(deliveries.undelivered).toBe(0);
  });

  it("count once although they are repeated, and fail if they never come", () => {
    const { samples, at, deliveries } = given();
    at(0).expect(hold);
    at(1).arrive(hold, 1);
    at(2).arrive(hold, 2);
    at(3).expect({ ...hold, amount: 8 });
    expect(at(10).giveUp()).toBe(1);
    expect(samples.map(({ latencyMs, error }) => [latencyMs, error])).toEqual([
      [1, undefined],
      [7, "not delivered"],
    ]);
    expect([deliveries.repeated, deliveries.undelivered]).toEqual([1, 0]);
  });
});
