import * as z from "zod";

/** Where it happened, as the network said it. `srcAmount` is in minor units of `srcCurrency`. */
export const StoredMerchant = z.object({
  merchantName: z.string().optional(),
  mcc: z.string().optional(),
  merchantId: z.string().optional(),
  merchantCity: z.string().optional(),
  merchantCountry: z.string().optional(),
  srcAmount: z.int().optional(),
  srcCurrency: z.string().optional(),
});
type StoredMerchant = z.output<typeof StoredMerchant>;

export function toShownMerchant(merchant: StoredMerchant) {
  const { merchantName: name, merchantId: id, mcc, merchantCity: city, merchantCountry: country } = merchant;
  return { name, id, mcc, city, country };
}
