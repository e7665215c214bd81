import { describe, expect, it } from "vitest";
import { foundRate, nextRate, type Tried } from "../tools/load/rate-finder.ts";

/** Tries rates until the search is over. */
function search(startRate: number, isKept: (rate: number, timesTried: number) => boolean) {
  const tried: Tried[] = [];
  for (;;) {
    const rate = nextRate(tried, startRate);
    if (rate === undefined) return { rates: tried.map((one) => one.rate), ...foundRate(tried) };
    const before = tried.filter((one) => one.rate === rate).length;
    tried.push({ rate, isKept: isKept(rate, before) });
    expect(tried.length).toBeLessThan(40);
  }
}

describe("the rate finder", () => {
  it("doubles until a limit is left twice, then halves the interval", () => {
    const { rates, kept, left } = search(20, (rate) => rate <= 100);
    expect(rates).toEqual([20, 40, 80, 160, 160, 113, 113, 95.1, 104, 104]);
    expect([kept, left]).toEqual([95.1, 104]);
  });

  it("goes down from a start that is too high", () => {
    const { rates, kept } = search(40, (rate) => rate <= 12);
    expect(rates.slice(0, 5)).toEqual([40, 40, 20, 20, 10]);
    expect(kept).toBeLessThanOrEqual(12);
    expect(kept).toBeGreaterThan(10);
  });

  it("is not misled by one bad try", () => {
    const { kept } = search(20, (rate, timesTried) => rate <= 100 && !(rate === 40 && timesTried === 0));
    expect(kept).toBe(95.1);
  });

  it("finds none where no rate is kept", () => {
    const { rates, kept, left } = search(4, () => false);
    expect(rates).toEqual([4, 4, 2, 2, 1, 1]);
    expect([kept, left]).toEqual([undefined, 1]);
  });

  it("ends below the rate limits of the Program", () => {
    expect(search(20, () => true)).toMatchObject({ kept: 4_000, left: undefined });
  });
});
