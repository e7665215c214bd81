import { createCipheriv, createDecipheriv } from "node:crypto";

/** A double- or triple-length key: A and B, where the third part is A again; or all three. */
type TripleDesKey = Uint8Array;

/** What a code is computed from. */
export interface CodeInput {
  readonly cardNumber: string;
  /** Year and month of the expiry, YYMM; of a CAVV, four digits of its authentication. */
  readonly date: string;
  /** Three digits: the track's, `999` of a chip, `000` in print; of a CAVV, its results. */
  readonly serviceCode: string;
}

/** The printed code (CVV2) and the chip's (iCVV) have these. The stripe's is on the stripe. */
export const printedServiceCode = "000";
export const chipServiceCode = "999";

/**
 * Card verification value: Visa's CVV, iCVV, CVV2 and CAVV, and Mastercard's CVC differ in what
 * they are given alone. Single DES is triple DES with one key three times.
 */
export function computeCode(key: TripleDesKey, { cardNumber, date, serviceCode }: CodeInput): string {
  const data = Buffer.from(`${cardNumber}${date}${serviceCode}`.padEnd(32, "0"), "hex");
  const left = key.subarray(0, 8);
  const first = encrypt(Buffer.concat([left, left, left]), data.subarray(0, 8));
  return decimalize(encrypt(key, xor(first, data.subarray(8)))).slice(0, 3);
}

/** Visa's PIN verification value (PVV), of a PIN's first four digits. */
export function computePinValue(key: TripleDesKey, index: number, cardNumber: string, pin: string): string {
  const account = cardNumber.slice(-12, -1);
  return decimalize(encrypt(key, Buffer.from(`${account}${index}${pin.slice(0, 4)}`, "hex"))).slice(0, 4);
}

/** The decimal digits of the hexadecimal ones, then the others, less ten. */
function decimalize(bytes: Buffer): string {
  const digits = bytes.toString("hex");
  const others = digits
    .replace(/\d/g, "")
    .replace(/[a-f]/g, (digit) => String(Number.parseInt(digit, 16) - 10));
  return digits.replace(/[a-f]/g, "") + others;
}

export function encrypt(key: TripleDesKey, block: Uint8Array): Buffer {
  return createCipheriv("des-ede3", whole(key), null).setAutoPadding(false).update(block);
}

export function decrypt(key: TripleDesKey, block: Uint8Array): Buffer {
  return createDecipheriv("des-ede3", whole(key), null).setAutoPadding(false).update(block);
}

function whole(key: TripleDesKey): Buffer {
  return key.length === 16 ? Buffer.concat([key, key.subarray(0, 8)]) : Buffer.from(key);
}

export function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/** With odd parity, which other implementations may require of a DES key. */
export function withOddParity(key: Uint8Array): Buffer {
  return Buffer.from(
    key.map((byte) => {
      const ones = (byte >> 1).toString(2).replaceAll("0", "").length;
      return (byte & 0xfe) | (ones % 2 === 0 ? 1 : 0);
    }),
  );
}
