import { afterEach, describe, expect, it, vi } from "vitest";
import { idTime, newId } from "../../../shared/platform/id.ts";

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
});
