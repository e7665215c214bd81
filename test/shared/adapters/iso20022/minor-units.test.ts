import { describe, expect, it } from "vitest";
import { toMinorUnits } from "../../../../shared/adapters/iso20022/read-xml.ts";
import { countDecimals } from "../../../../shared/contract/currencies.ts";

describe("amounts", () => {
  it.each([
    ["12.3", "USD", 1230],
    ["12", "USD", 1200],
    ["12.", "EUR", 1200],
    [".50", "USD", 50],
    ["+5.00", "USD", 500],
    ["0000000000000000000012.0000000", "USD", 1200],
    [".", "USD", undefined],
    ["+", "USD", undefined],
    ["5,00", "USD", undefined],
    ["0.07", "GBP", 7],
    ["12.300", "USD", 1230],
    ["12.301", "USD", undefined],
    ["12", "JPY", 12],
    ["12.5", "JPY", undefined],
    ["1.234", "KWD", 1234],
    ["90071992547409.91", "USD", 9007199254740991],
    ["90071992547409.92", "USD", undefined],
    ["0", "USD", undefined],
    ["-1", "USD", undefined],
    ["1e3", "USD", undefined],
    [" 1", "USD", undefined],
  ])("%s %s is %s minor units", (decimal, currency, minor) => {
    expect(toMinorUnits(decimal, currency)).toBe(minor);
  });

  it("have as many decimals as ISO 4217 says, by either code", () => {
    expect(["990", "840", "392", "KWD"].map(countDecimals)).toEqual([4, 2, 0, 3]);
  });
});
