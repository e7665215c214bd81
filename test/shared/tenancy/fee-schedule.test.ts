import { describe, expect, test } from "vitest";
import { FeeScheduleInput } from "../../../shared/contract/account-programs.ts";
import { scheduledFeeMinor } from "../../../shared/tenancy/programs/fee-schedule.ts";

const schedule = (fees: unknown) => ({ feeSchedule: FeeScheduleInput.parse(fees) });

describe("a Program's fee", () => {
  test("is the fixed amount, and nothing where the schedule does not name it", () => {
    const settings = schedule([{ feeType: 2, amount: 150 }]);
    expect(scheduledFeeMinor(settings, 2)).toBe(150);
    expect(scheduledFeeMinor(settings, 2, 1_000_000)).toBe(150);
    expect(scheduledFeeMinor(settings, 1)).toBe(0);
    expect(scheduledFeeMinor(schedule([]), 4, 1_000_000)).toBe(0);
  });

  test.each([
    [0, 250, 10_000, 250],
    [0, 250, 10_019, 250],
    [0, 250, 10_020, 251],
    [30, 100, 2_550, 56],
    [0, 1, 49, 0],
    [0, 10_000, 100_000_000_000, 100_000_000_000],
  ])(
    "of %i and %i hundredths of a percent of what was moved: of %i it is %i",
    (amount, basisPoints, moved, fee) => {
      expect(scheduledFeeMinor(schedule([{ feeType: 4, amount, basisPoints }]), 4, moved)).toBe(fee);
    },
  );
});

describe("a schedule", () => {
  test.each([
    [[{ feeType: 3, amount: 0 }]],
    [[{ feeType: 1, amount: 5, basisPoints: 10 }]],
    [[{ feeType: 2, amount: 5, basisPoints: 10 }]],
    [[{ feeType: 5, amount: 5, basisPoints: 10 }]],
    [[{ feeType: 4, amount: 0, basisPoints: 10_001 }]],
    [[{ feeType: 4, amount: -1, basisPoints: 10 }]],
    [[{ feeType: 6, amount: 5 }]],
    [[{ feeType: 2, amount: 0.5 }]],
    [
      [
        { feeType: 2, amount: 5 },
        { feeType: 2, amount: 6 },
      ],
    ],
  ])("refuses %j", (fees) => {
    expect(FeeScheduleInput.safeParse(fees).success).toBe(false);
  });

  test("takes a fixed amount alone, and a share alone", () => {
    expect(FeeScheduleInput.parse([{ feeType: 4, amount: 0, basisPoints: 150 }])).toHaveLength(1);
    expect(FeeScheduleInput.parse([{ feeType: 3, amount: 200 }])).toEqual([
      { feeType: 3, amount: 200, basisPoints: 0 },
    ]);
  });
});
