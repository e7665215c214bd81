import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  closeHold,
  decreaseHold,
  type HoldState,
  increaseHold,
  noHold,
  outstandingMinor,
} from "../../../../shared/authorizations/holds/hold.ts";

const amount = fc.integer({ min: 1, max: 1_000 });
const step: fc.Arbitrary<(state: HoldState) => HoldState> = fc.oneof(
  amount.map((minor) => (state: HoldState) => increaseHold(state, minor)),
  amount.map((minor) => (state: HoldState) => decreaseHold(state, minor)),
  fc.constantFrom("cleared", "reversed", "expired").map((by) => (state: HoldState) => closeHold(state, by)),
);

const stateAfter = (steps: readonly ((state: HoldState) => HoldState)[]) =>
  steps.reduce((state, apply) => apply(state), noHold);

describe("the state of a hold", () => {
  it("is the authorized amount less the released one, and 0 once closed", () => {
    const placed = increaseHold(noHold, 100);
    expect(outstandingMinor(placed)).toBe(100);
    expect(outstandingMinor(decreaseHold(placed, 30))).toBe(70);
    expect(outstandingMinor(decreaseHold(placed, 130))).toBe(0);
    expect(outstandingMinor(closeHold(placed, "reversed"))).toBe(0);
    expect(outstandingMinor(increaseHold(closeHold(noHold, "cleared"), 100))).toBe(0);
    expect(outstandingMinor(increaseHold(decreaseHold(noHold, 30), 100))).toBe(70);
  });

  it("keeps what closed it first", () => {
    expect(closeHold(closeHold(noHold, "expired"), "cleared").closedBy).toBe("expired");
  });

  it("has the same amount in any order of events, and never a negative one", () => {
    const orders = fc
      .array(step, { minLength: 1, maxLength: 12 })
      .chain((steps) =>
        fc.tuple(
          fc.constant(steps),
          fc.shuffledSubarray(steps, { minLength: steps.length, maxLength: steps.length }),
        ),
      );
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(outstandingMinor(stateAfter(other))).toBe(outstandingMinor(stateAfter(one)));
        expect(outstandingMinor(stateAfter(one))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
