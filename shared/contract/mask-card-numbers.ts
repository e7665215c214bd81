import { withoutCardNumbers } from "./card-numbers.ts";
import { isLuhnValid } from "./luhn.ts";

const shortest = 12;
const longest = 19;

/**
 * Masks every number of 12 to 19 digits that could be a card's: it passes Luhn's check and does not
 * begin with 0. Other digits may be next to it, as in a message or a record with fields of fixed
 * lengths. Groups may be parted by one space or hyphen, or as people write them.
 */
export function maskCardNumbers(text: string): string {
  return withoutCardNumbers(text.replace(/\d(?:[ -]?\d){11,}/g, maskRun));
}

function maskRun(run: string): string {
  const isMasked = findMasked(run.replace(/[ -]/g, ""));
  let position = 0;
  return run.replace(/\d/g, (digit) => (isMasked[position++] ? "*" : digit));
}

/** Says of each digit whether it is in a number that may be a card's. */
function findMasked(digits: string, isLookedAt = (_start: number, _end: number) => true): boolean[] {
  const isMasked = Array.from(digits, () => false);
  for (let start = 0; start + shortest <= digits.length; start += 1) {
    if (digits[start] === "0") continue;
    for (let end = start + shortest; end <= Math.min(digits.length, start + longest); end += 1)
      if (isLookedAt(start, end) && isLuhnValid(digits.slice(start, end))) isMasked.fill(true, start, end);
  }
  return isMasked;
}

/**
 * The bytes in hex, masked as `maskCardNumbers` does: digits of ASCII (30 to 39), of EBCDIC (F0 to
 * F9), and two to a byte (BCD).
 */
export function maskCardNumbersInBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return maskPacked(maskZoned(maskZoned(hex, "3"), "f"));
}

/** A digit in each byte, after its zone. */
function maskZoned(hex: string, zone: string): string {
  const inBytes = hex.match(/../g) ?? [];
  const text = inBytes.map((byte) => (isDigitIn(byte, zone) ? byte[1] : "."));
  const masked = maskCardNumbers(text.join(""));
  return inBytes.map((byte, index) => (masked[index] === "*" ? "**" : byte)).join("");
}

function isDigitIn(byte: string, zone: string): boolean {
  return byte[0] === zone && /\d/.test(byte[1] ?? "");
}

/** Two digits in each byte. A number of nothing but ASCII digits was looked at before. */
function maskPacked(hex: string): string {
  const isMasked = Array.from(hex, () => false);
  for (const found of hex.matchAll(/\d{12,}/g)) {
    const { index } = found;
    const isPacked = (start: number, end: number) => {
      const firstByte = (index + start) & ~1;
      return !/^(?:3\d)+$/.test(hex.slice(firstByte, index + end + ((index + end) & 1)));
    };
    findMasked(found.join(""), isPacked).forEach((masked, place) => {
      if (masked) isMasked[index + place] = true;
    });
  }
  return hex.replace(/../g, (byte, at: number) => (isMasked[at] || isMasked[at + 1] ? "**" : byte));
}
