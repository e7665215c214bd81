import { afterEach, describe, expect, it, vi } from "vitest";
import { BoundedMap } from "../../../shared/platform/bounded-map.ts";
import { idTime, newId } from "../../../shared/platform/id.ts";
import { startIds } from "../../harness/ids-of-file.ts";

afterEach(() => void vi.useRealTimers());

const at = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });
const madeMs = () => idTime(newId("transaction")).getTime();

describe("an id", () => {
  it("is of the time at which it is made, also after a clock that was wrong by years", () => {
    const rightMs = Date.UTC(2026, 10, 28);
    at(Date.UTC(2044, 0, 1));
    expect(madeMs()).toBe(Date.UTC(2044, 0, 1));
    at(rightMs);
    expect(madeMs()).toBe(rightMs);
  });

  it("comes after the ids before it, also if the clock goes back by seconds", () => {
    at(Date.UTC(2026, 10, 28));
    const before = newId("transaction");
    at(Date.UTC(2026, 10, 28) - 5_000);
    expect(newId("transaction") > before).toBe(true);
  });

  it("is of its own time in the next test file", () => {
    at(Date.now() + 10_000);
    const aheadMs = madeMs();
    startIds();
    expect(madeMs()).toBeLessThan(aheadMs);
  });
});

describe("a bounded map", () => {
  it("drops only the oldest entry", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4]);
  });
});
