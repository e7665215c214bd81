import { type Currency, currencyNames } from "../contract/enums.ts";

/** The decimals of a currency: those of ISO 4217. */
export function decimalsOf(currency: Currency): number {
  const style = { style: "currency", currency: currencyNames[currency] } as const;
  return new Intl.NumberFormat("en", style).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Minor units as a decimal number, such as `-12.05`. */
export function toDecimal(minor: number, currency: Currency): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals > 0 ? `.${digits.slice(-decimals)}` : "";
  return `${minor < 0 ? "-" : ""}${whole}${fraction}`;
}
