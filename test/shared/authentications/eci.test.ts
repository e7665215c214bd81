import { expect, test } from "vitest";
import { findEci, shiftsLiability } from "../../../shared/authentications/authentication.ts";
import { toTokenNetwork } from "../../../shared/contract/card-numbers.ts";

test.each([
  ["authenticated", "05", "02", true],
  ["exempted", "07", "06", false],
  ["challenged", undefined, undefined, false],
  ["rejected", "07", "00", false],
  ["attempted", "06", "01", true],
  ["failed", "07", "00", false],
  ["expired", "07", "00", false],
] as const)(
  "%s is %s for Visa, %s for Mastercard; it shifts the liability: %s",
  (state, visa, other, shifts) => {
    expect([findEci(state, "visa"), findEci(state, "mastercard"), shiftsLiability(state)]).toEqual([
      visa,
      other,
      shifts,
    ]);
  },
);

test("2 and 5 begin the numbers of Mastercard", () => {
  expect(["400000", "222100", "510000", "676700"].map(toTokenNetwork)).toEqual([
    "visa",
    "mastercard",
    "mastercard",
    "mastercard",
  ]);
});
