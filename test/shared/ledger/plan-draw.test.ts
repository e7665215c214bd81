import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDraw } from "../../../shared/ledger/hot/plan-draw.ts";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

describe("a debit that its shard of a hot Wallet lacks", () => {
  it("takes exactly the amount, nowhere more than there is, unless all parts together lack it", () => {
    const parts = fc.dictionary(fc.constantFrom(..."abcdefg"), fc.nat(50), { minKeys: 1 });
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom(..."abcdefg"),
        fc.integer({ min: 1, max: 250 }),
        (given, home, amount) => {
          const available = new Map(Object.entries(given));
          const draw = planDraw(available, home, amount);
          expect(draw === undefined).toBe(sum(available.values()) < amount);
          if (!draw) return;
          expect(sum(draw.values())).toBe(-amount);
          for (const [part, delta] of draw) {
            expect(delta).not.toBe(0);
            if (part !== home) expect(delta).toBeLessThan(0);
            expect((available.get(part) ?? 0) + delta).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  it("brings half of another part's balance along, so that the next ones need no other part", () => {
    const draw = planDraw(
      new Map([
        ["a", 10],
        ["b", 110],
      ]),
      "a",
      20,
    );
    expect(draw).toEqual(
      new Map([
        ["b", -60],
        ["a", 40],
      ]),
    );
  });

  it("takes from the fullest parts first if no other part suffices", () => {
    const available = new Map([
      ["a", 1],
      ["b", 5],
      ["c", 9],
      ["d", 7],
    ]);
    expect(planDraw(available, "a", 14)).toEqual(
      new Map([
        ["a", -1],
        ["c", -9],
        ["d", -4],
      ]),
    );
  });
});
