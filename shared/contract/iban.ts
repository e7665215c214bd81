/** The lengths of IBANs, after SWIFT's registry. */
const ibanLengths =
  "NO15 BE16 DK18 FI18 FK18 FO18 GL18 NL18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 MN20 XK20 " +
  "CH21 HR21 LI21 LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 OM23 " +
  "SO23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 " +
  "DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HN28 HU28 LB28 NI28 PL28 SV28 " +
  "BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33";
const lengths = new Map(
  ibanLengths.split(" ").map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

/** The IBAN that begins there, with its blanks; empty if there is none. */
export function ibanAt(text: string, start: number): string {
  const length = lengths.get(text.slice(start, start + 2)) ?? 0;
  let end = start;
  for (let counted = 0; counted < length; end += 1) {
    if (end >= text.length) return "";
    if (text[end] !== " ") counted += 1;
  }
  const iban = text.slice(start, end);
  return isIban(iban.replaceAll(" ", "")) ? iban : "";
}

/** ISO 13616: the remainder of the rearranged number, with letters as 10 to 35. */
export function isIban(account: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)) return false;
  const digits = (account.slice(4) + account.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}

/** Whose banks take SEPA's payments (EPC409-09). Most islands have another country's IBANs. */
const sepa = new Set(
  (
    "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL " +
    "PT RO RS SE SI SK SM VA"
  ).split(" "),
);

export const isInSepa = (country: string) => sepa.has(country);
