/**
 * ISO 4217: currencies whose minor unit is not a hundredth, with their numeric code and number of
 * decimals.
 */
const exceptions = [
  ...["BIF 108", "CLP 152", "DJF 262", "GNF 324", "ISK 352", "JPY 392", "KMF 174", "KRW 410"].map(toEntry(0)),
  ...["PYG 600", "RWF 646", "UGX 800", "UYI 940", "VND 704", "VUV 548", "XAF 950", "XOF 952"].map(toEntry(0)),
  ...["XPF 953"].map(toEntry(0)),
  ...["BHD 048", "IQD 368", "JOD 400", "KWD 414", "LYD 434", "OMR 512", "TND 788"].map(toEntry(3)),
  ...["CLF 990", "UYW 927"].map(toEntry(4)),
];

function toEntry(decimals: number) {
  return (codes: string) => [codes.split(" "), decimals] as const;
}

/** Of an alphabetic or numeric code. */
export function decimalsOf(currency: string): number {
  return exceptions.find(([codes]) => codes.includes(currency))?.[1] ?? 2;
}

/**
 * `12.3` as 1230 cents, exactly; also `.50` and `+5.`, which XML allows. Undefined for what is no
 * positive decimal number, has more decimals than the currency, or is too large to be exact.
 */
export function toMinorUnits(decimal: string, currency: string): number | undefined {
  const [, whole = "", fraction = ""] = /^\+?0*(\d{0,18})(?:\.(\d{0,18}))?$/.exec(decimal) ?? [];
  const decimals = decimalsOf(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const minor = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? minor : undefined;
}

/** An amount in the currency's minor units, in hundredths, rounded to the nearest. */
export function toHundredths(minor: number, currency: string): number {
  return Math.round(minor * 10 ** (2 - decimalsOf(currency)));
}
