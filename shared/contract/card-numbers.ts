import { ibanAt } from "./iban.ts";
import { isLuhnValid } from "./luhn.ts";

/**
 * The texts that people and banks write, without card numbers: of one, the first six and the last
 * four digits stay, as on a masked Card; of one with less than 16 digits, the last four.
 *
 * A card number has the beginning and the length of a card network's, passes Luhn's check, and
 * begins and ends where a group of digits does. Groups may be parted by blanks, line breaks, dashes
 * and other marks; digits may be of any script; letters may be right beside it. Ids of the
 * platform, UUIDs, hashes and IBANs stay as they are.
 */
export function withoutCardNumbers(text: string): string {
  const numbers = findCardNumbers(text);
  if (numbers.length === 0) return text;
  const characters = Array.from(text);
  for (const places of numbers)
    for (const place of places.slice(places.length < 16 ? 0 : 6, -4)) characters[place] = "*";
  return characters.join("");
}

/** The same for texts that follow one another: a number may begin in one and end in the next. */
export function withoutCardNumbersIn(texts: readonly string[]): string[] {
  if (texts.length < 2) return texts.map(withoutCardNumbers);
  return withoutCardNumbers(texts.map((text) => text.replaceAll(between, " ")).join(between)).split(between);
}

/** A mark between digits, which no text has. */
const between = "\u001f";

export function hasCardNumber(text: string): boolean {
  return findCardNumbers(text).length > 0;
}

/** How numbers begin, and how long they can be then. A Program's own begin with 2 to 6. */
const networks: readonly (readonly [begin: RegExp, ...lengths: number[]])[] = [
  [/^220[0-4]/, 16, 17, 18, 19],
  [/^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, 16],
  [/^3(?:0[0-59]|[689])/, 14, 15, 16, 17, 18, 19],
  [/^3[47]/, 15],
  [/^35/, 16, 17, 18, 19],
  [/^4/, 13, 16, 17, 18, 19],
  [/^5[1-5]/, 16],
  [/^(?:5[06-8]|6)/, 12, 13, 14, 15, 16, 17, 18, 19],
  [/^(?:8[12]|8600|9704|9792|9860)/, 16, 17, 18, 19],
];
const longest = 19;

function isCardNumber(digits: string): boolean {
  const { length } = digits;
  return (
    networks.some(([begin, ...lengths]) => lengths.includes(length) && begin.test(digits)) &&
    isLuhnValid(digits)
  );
}

/** A blank as addresses and pages write it. */
const writtenBlank = /%20|%C2%A0|&nbsp;|&#(?:32|160|x20|xA0);/gi;
/** What is left of it beside one mark: it keeps the length. */
const rest = "\u001e";

const mayHaveOne = /(?:\p{N}[^\p{L}\p{N}]{0,5}){12}/u;

/** The places of each number's digits, counted in characters. They may overlap. */
function findCardNumbers(text: string): number[][] {
  const shown = text.replace(writtenBlank, (blank) => " ".padEnd(blank.length, rest));
  if (!mayHaveOne.test(shown.replaceAll(rest, ""))) return [];
  const found: number[][] = [];
  for (const groups of findRuns(Array.from(withoutIds(shown))))
    for (let first = 0; first < groups.length; first += 1) {
      let number: Digit[] = [];
      for (const group of groups.slice(first, first + longest)) {
        number = [...number, ...group];
        if (number.length > longest) break;
        const digits = number.map(({ value }) => value).join("");
        if (isPhoneNumber(groups[first], digits) || !isCardNumber(digits)) continue;
        found.push(number.map(({ place }) => place));
      }
    }
  return found;
}

interface Digit {
  readonly value: string;
  readonly place: number;
  readonly isAfterPlus: boolean;
}

/** +49 …: no number of a card that is shorter than 15 digits. */
function isPhoneNumber(group: readonly Digit[] | undefined, digits: string): boolean {
  return group?.[0]?.isAfterPlus === true && digits.length < 15;
}

/** The most marks between two groups of a number. */
const mostMarks = 5;

/** Groups of digits, of each run that only marks interrupt. */
function findRuns(characters: readonly string[]): Digit[][][] {
  const runs: Digit[][][] = [];
  let marks = mostMarks + 1;
  characters.forEach((character, place) => {
    if (character === rest) return;
    const value = toDigit(character);
    if (value === undefined) {
      marks = /[\p{L}\p{N}]/u.test(character) ? mostMarks + 1 : marks + 1;
      return;
    }
    if (marks > mostMarks) runs.push([]);
    const groups = runs.at(-1);
    if (marks > 0) groups?.push([]);
    groups?.at(-1)?.push({ value, place, isAfterPlus: characters[place - 1] === "+" });
    marks = 0;
  });
  return runs;
}

/** Digits of each script are ten in a row, from zero on. Others, such as ④, are written for one. */
function toDigit(character: string): string | undefined {
  if (character >= "0" && character <= "9") return character;
  if (character < "\u0080" || !/\p{N}/u.test(character)) return undefined;
  const plain = character.normalize("NFKC");
  if (/^[0-9]$/.test(plain)) return plain;
  if (!/^\p{Nd}$/u.test(character)) return undefined;
  let before = (character.codePointAt(0) ?? 0) - 1;
  let value = 0;
  for (; /^\p{Nd}$/u.test(String.fromCodePoint(before)); before -= 1) value += 1;
  return String(value % 10);
}

const ids = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}",
    "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "[0-9a-f]{32,128}",
  ].join("|")})(?![\\p{L}\\p{N}])`,
  "giu",
);

/** Keeps the length, with letters in the place of ids and IBANs. */
function withoutIds(text: string): string {
  let shown = text.replace(ids, hide);
  for (const { index } of shown.matchAll(/[A-Z]{2}\d{2}/g)) {
    const iban = ibanAt(shown, index);
    if (iban === "") continue;
    shown = shown.slice(0, index) + hide(iban) + shown.slice(index + iban.length);
  }
  return shown;
}

const hide = (id: string) => "x".repeat(id.length);

/** One of the two that are known. Their tokens and indicators differ; Maestro is Mastercard's. */
export function toTokenNetwork(cardNumber: string): "visa" | "mastercard" {
  return cardNumber.startsWith("4") ? "visa" : "mastercard";
}
