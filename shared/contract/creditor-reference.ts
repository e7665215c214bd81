import { computeCheck, idPrefixes, toId, ulidAlphabet } from "./identifiers.ts";

/**
 * ISO 11649: RF, two check digits, and what is left of the id of a Wallet or Card without its first
 * character and its check characters. The first character of that says which it is.
 */
const cardOffset = 16;
const bodyLength = 21;
const pattern = new RegExp(`^RF(\\d\\d)([${ulidAlphabet}]{${bodyLength}})$`);

/**
 * That of a deposit: its second character is the place of a U among the others. No id has one, so
 * it is no Wallet's or Card's.
 */
const depositPattern = new RegExp(`^RF(\\d\\d)(?=[${ulidAlphabet}U]{${bodyLength}}$)([^U]*)U([^U]*)$`);

/** Undefined for an id that was not made by `newId`. */
export function toDepositReference(depositId: string): string | undefined {
  const ulid = depositId.slice(depositId.indexOf("_") + 1);
  const place = ulidAlphabet.indexOf(ulid.charAt(1));
  const isFit = ulid.startsWith("0") && place < bodyLength && toId("deposit", ulid) === depositId;
  if (!isFit) return undefined;
  const rest = ulid.slice(2, bodyLength + 1);
  const body = `${rest.slice(0, place)}U${rest.slice(place)}`;
  return `RF${computeCheckDigits(body)}${body}`;
}

/** The id of a deposit. Undefined if it is none's, or its check digits do not fit. */
export function fromDepositReference(reference: string): string | undefined {
  const [, check, before = "", after = ""] = depositPattern.exec(reference) ?? [];
  if (check === undefined || check !== computeCheckDigits(`${before}U${after}`)) return undefined;
  const ulid = `0${ulidAlphabet.charAt(before.length)}${before}${after}`;
  return `${idPrefixes.deposit}_${ulid}${computeCheck("deposit", ulid)}`;
}

/** Undefined for an id that was not made by `newId`. */
export function toCreditorReference(id: string): string | undefined {
  const ulid = id.slice(id.indexOf("_") + 1);
  const isCard = id.startsWith(`${idPrefixes.card}_`);
  const digit = ulidAlphabet.indexOf(ulid.charAt(1));
  const isFit = ulid.startsWith("0") && digit < cardOffset && toId(isCard ? "card" : "wallet", ulid) === id;
  if (!isFit) return undefined;
  const body = ulidAlphabet.charAt(digit + (isCard ? cardOffset : 0)) + ulid.slice(2, bodyLength + 1);
  return `RF${computeCheckDigits(body)}${body}`;
}

/** The id of a Wallet or Card. Undefined if it is none's, or its check digits do not fit. */
export function fromCreditorReference(reference: string): string | undefined {
  const [, check, body = ""] = pattern.exec(reference) ?? [];
  if (check === undefined || check !== computeCheckDigits(body)) return undefined;
  const digit = ulidAlphabet.indexOf(body.charAt(0));
  const kind = digit < cardOffset ? "wallet" : "card";
  const ulid = `0${ulidAlphabet.charAt(digit % cardOffset)}${body.slice(1)}`;
  return `${idPrefixes[kind]}_${ulid}${computeCheck(kind, ulid)}`;
}

/** ISO 7064, MOD 97-10, with letters as 10 to 35. */
function computeCheckDigits(body: string): string {
  const digits = `${body}RF00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return String(98n - (BigInt(digits) % 97n)).padStart(2, "0");
}

/** Any creditor reference of ISO 11649, also another issuer's, without blanks. */
export function isCreditorReference(reference: string): boolean {
  const [, check, body = ""] = /^RF(\d\d)([0-9A-Z]{1,21})$/.exec(reference) ?? [];
  return check !== undefined && check === computeCheckDigits(body);
}
