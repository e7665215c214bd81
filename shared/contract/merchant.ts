import * as z from "zod";
import { country, maximumAmountMinor, text } from "./primitives.ts";

/** What a network message may tell of the merchant and of what the merchant billed: all of it optional. */
export const merchantFields = {
  merchantName: text(100).optional(),
  /** ISO 18245 merchant category. */
  mcc: z
    .string()
    .regex(/^\d{4}$/, "must be four digits")
    .optional(),
  merchantId: text(50).optional(),
  merchantCity: text(50).optional(),
  merchantCountry: country.optional(),
  /** What the merchant billed, in hundredths of `srcCurrency`. */
  srcAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric. The card's own where nothing was converted, or the Cardholder took the merchant's rate (DCC). */
  srcCurrency: z
    .string()
    .regex(/^\d{3}$/, "must be an ISO 4217 numeric code")
    .optional(),
};

const Merchant = z.object(merchantFields);
export type Merchant = z.output<typeof Merchant>;
