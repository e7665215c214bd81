import { countDecimals } from "../contract/currencies.ts";

/**
 * `12.3` as 1230 cents, exactly; also `.50` and `+5.`, which XML allows. Undefined for what is no
 * positive decimal number, has more decimals than the currency, or is too large to be exact.
 */
export function toMinorUnits(decimal: string, currency: string): number | undefined {
  const [, whole = "", fraction = ""] = /^\+?0*(\d{0,18})(?:\.(\d{0,18}))?$/.exec(decimal) ?? [];
  const decimals = countDecimals(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const minor = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : undefined;
}
