import type { EntryMode, Merchant } from "../../contract/card-network.ts";
import { decimalsOf } from "../../contract/currencies.ts";
import { countries } from "../../contract/primitives.ts";
import type { Transaction } from "./messages.ts";

/** Details that do not fit are left out: money counts more than a merchant's city. */
export function merchant({ card_acceptor, currency_conversion }: Transaction): Merchant {
  const { name, mcc, mid, city, country_code, country } = card_acceptor ?? {};
  const fitting = (value: string | undefined, longest: number) => {
    const clean = value
      ?.replace(/[\p{Cc}\p{Cs}]/gu, " ")
      .trim()
      .slice(0, longest);
    return clean === "" ? undefined : clean;
  };
  const original = currency_conversion?.network;
  const isConverted = original !== undefined && /^\d{3}$/.test(original.original_currency_code);
  return {
    merchantName: fitting(name, 100),
    mcc: mcc !== undefined && /^\d{4}$/.test(mcc) ? mcc : undefined,
    merchantId: fitting(mid, 50),
    merchantCity: fitting(city, 50),
    merchantCountry: [country_code, country].find((code) => code !== undefined && countries.has(code)),
    ...(isConverted && {
      srcAmount: Math.round(original.original_amount * 10 ** decimalsOf(original.original_currency_code)),
      srcCurrency: original.original_currency_code,
    }),
  };
}

const entryModes: Readonly<Record<string, EntryMode>> = {
  CHIP: "chip",
  CHIP_CONTACTLESS: "contactless",
  MAG_STRIPE_CONTACTLESS: "contactless",
  MAG_STRIPE: "magstripe",
  CHIP_FALLBACK: "magstripe",
  MANUAL: "keyed",
  CARD_ON_FILE: "ecommerce",
};

export function entryMode({ pos }: Transaction): EntryMode | undefined {
  if (pos?.is_recurring) return "recurring";
  return entryModes[pos?.pan_entry_mode ?? ""];
}
