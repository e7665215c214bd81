import * as z from "zod";
import { country, maximumAmountMinor, text } from "./primitives.ts";

/** The merchant and the billed amount of a network message. Every field is optional. */
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
  /** The billed amount, in hundredths of `srcCurrency`: 999 is 9.99. */
  srcAmount: z.int().min(0).max(maximumAmountMinor).optional(),
  /** ISO 4217 numeric code: 978 is EUR. The card's own currency if nothing was converted. */
  srcCurrency: z
    .string()
    .regex(/^\d{3}$/, "must be an ISO 4217 numeric code")
    .optional(),
};

const Merchant = z.object(merchantFields);
export type Merchant = z.output<typeof Merchant>;
