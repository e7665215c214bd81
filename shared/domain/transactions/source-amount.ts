import type { Merchant } from "../../contract/card-network.ts";
import { Currency } from "../../contract/enums.ts";

/** ISO 4217 numeric code of each card currency. */
export const numericCurrency = {
  [Currency.usd]: "840",
  [Currency.cad]: "124",
  [Currency.gbp]: "826",
  [Currency.eur]: "978",
} as const satisfies Record<Currency, string>;

/**
 * What the merchant billed. Equal to the amount where nothing was converted: without a currency, or in the card's own
 * (Dynamic Currency Conversion). An amount in another currency that the event does not name stays undefined.
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
