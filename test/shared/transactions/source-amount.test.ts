import { describe, expect, it } from "vitest";
import { sourceAmount } from "../../../shared/transactions/transaction-rules.ts";

describe("what the merchant billed", () => {
  it("is the amount itself where nothing was converted", () => {
    expect(sourceAmount({}, 500, 0)).toEqual({ srcAmountMinor: 500, srcCurrency: "840" });
    expect(sourceAmount({}, 500, 3)).toEqual({ srcAmountMinor: 500, srcCurrency: "978" });
  });

  it("is its own where another currency was converted at settlement", () => {
    expect(sourceAmount({ srcAmount: 450, srcCurrency: "978" }, 500, 0)).toEqual({
      srcAmountMinor: 450,
      srcCurrency: "978",
    });
  });

  it("is the amount under Dynamic Currency Conversion, even if the network sends another", () => {
    const converted = { srcAmountMinor: 500, srcCurrency: "840" };
    expect(sourceAmount({ srcCurrency: "840" }, 500, 0)).toEqual(converted);
    expect(sourceAmount({ srcAmount: 450, srcCurrency: "840" }, 500, 0)).toEqual(converted);
    expect(sourceAmount({ srcAmount: 450 }, 500, 0)).toEqual(converted);
  });

  it("stays unknown if the network sends only the currency", () => {
    expect(sourceAmount({ srcCurrency: "978" }, 500, 0)).toEqual({
      srcAmountMinor: undefined,
      srcCurrency: "978",
    });
  });

  it("is never in what is no currency of ISO 4217", () => {
    for (const srcCurrency of ["000", "123", "996"])
      expect(sourceAmount({ srcAmount: 450, srcCurrency }, 500, 0)).toEqual({
        srcAmountMinor: 500,
        srcCurrency: "840",
      });
  });
});
