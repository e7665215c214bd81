import * as z from "zod";
import { country, maximumAmountMinor, memo, prose, text } from "./primitives.ts";

export const currencyCode = z.string().regex(/^\d{3}$/, "must be an ISO 4217 numeric code");

export const merchantFields = {
  merchantName: prose(100).optional(),
  mcc: z
    .string()
    .regex(/^\d{4}$/, "must be four digits")
    .optional(),
  merchantId: text(50).optional(),
  merchantCity: prose(50).optional(),
  merchantCountry: country.optional(),
  /** The billed amount, in minor units of `srcCurrency`: 999 is 9.99 euros, or 999 yen. */
  srcAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. The card's own currency if no conversion took place. */
  srcCurrency: currencyCode.optional(),
};

export const Merchant = z.object(merchantFields);
export type Merchant = z.output<typeof Merchant>;

/**
 * What the Program earns with the transaction, in minor units of the card's currency; negative for
 * what it pays: for cash, or as it gives back the interchange of a refunded purchase.
 */
export const interchange = z.int().min(-maximumAmountMinor).max(maximumAmountMinor).optional();

export const settlementFields = {
  ...merchantFields,
  interchange,
  /** The settlement's globally unique reference. Default: the transaction's id. */
  referenceCode: text(64)
    .regex(/^(?![a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}$)/, "must not have the form of an id of the platform")
    .optional(),
  description: memo.optional(),
};
