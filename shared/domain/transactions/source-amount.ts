import type { Currency } from "../../contract/enums.ts";
import type { Merchant } from "../../contract/merchant.ts";

/** ISO 4217 numeric code of a card's currency. */
export const numericCurrency = {
  0: "840",
  1: "124",
  2: "826",
  3: "978",
} as const satisfies Record<Currency, string>;

/**
 * What the merchant billed, beside the amount in the card's currency. The two are equal where nothing was converted: no currency is
 * told, or the card's own is, as under Dynamic Currency Conversion. Where another currency's amount is not told, there is none: a rate is never made up.
 */
export function sourceAmount(
  { srcAmount, srcCurrency }: Pick<Merchant, "srcAmount" | "srcCurrency">,
  amountMinor: number,
  currency: Currency,
): { srcAmountMinor: number | undefined; srcCurrency: string } {
  const own = numericCurrency[currency];
  return srcCurrency === undefined || srcCurrency === own
    ? { srcAmountMinor: amountMinor, srcCurrency: own }
    : { srcAmountMinor: srcAmount, srcCurrency };
}
