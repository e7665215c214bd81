import type { Merchant } from "../../contract/merchant.ts";

/** What an event tells of the merchant and of what the merchant billed. */
export function merchantOf(event: Merchant): Merchant {
  const { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency } = event;
  return { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency };
}

/** The same, with who the merchant is taken from the authorization where the event does not tell it. What was billed is the event's own. */
export function settledMerchantOf(
  event: Merchant,
  { srcAmount: _, srcCurrency: __, ...known }: Merchant,
): Merchant {
  const told = Object.entries(merchantOf(event)).filter(([, value]) => value !== undefined);
  return { ...known, ...Object.fromEntries(told) };
}
