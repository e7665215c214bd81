/**
 * Content of a data element: `n` digits; `an` letters, digits and spaces; `ans` any character; `z`
 * track data; `xn` C or D and digits; `b` bytes, written in hexadecimal.
 */
export type Content = "n" | "an" | "ans" | "z" | "xn" | "b";

export interface Field {
  readonly content: Content;
  /** It counts characters, or bytes of a `b`. The most, if it varies. */
  readonly length: number;
  /** The number of digits in which a varying length is written: LLVAR 2, LLLVAR 3. */
  readonly prefix?: 2 | 3;
  /** Another fixed length that it may have: which one, only the rest of the message tells. */
  readonly orLength?: number;
  /** As BCD, the zero that fills the last byte is at the end. */
  readonly isFilledAtEnd?: true;
}

const fixed = (content: Content, length: number): Field => ({ content, length });
const ll = (content: Content, length: number): Field => ({ content, length, prefix: 2 });
const lll = (content: Content, length = 999): Field => ({ content, length, prefix: 3 });

/** Pairs of first and last number, and what they have in common. */
const ranges: readonly (readonly [number, number, Field])[] = [
  [2, 2, ll("n", 19)],
  [3, 3, fixed("n", 6)],
  [4, 6, fixed("n", 12)],
  [7, 7, fixed("n", 10)],
  [8, 10, fixed("n", 8)],
  [11, 12, fixed("n", 6)],
  [13, 18, fixed("n", 4)],
  [19, 21, fixed("n", 3)],
  [22, 22, { ...fixed("n", 3), isFilledAtEnd: true }],
  [23, 24, fixed("n", 3)],
  [25, 26, fixed("n", 2)],
  [27, 27, fixed("n", 1)],
  [28, 31, fixed("xn", 9)],
  [32, 33, ll("n", 11)],
  [34, 34, ll("ans", 28)],
  [35, 35, ll("z", 37)],
  [36, 36, lll("z", 104)],
  [37, 37, fixed("an", 12)],
  [38, 38, fixed("an", 6)],
  [39, 39, fixed("an", 2)],
  [40, 40, fixed("an", 3)],
  [41, 41, fixed("ans", 8)],
  [42, 42, fixed("ans", 15)],
  [43, 43, fixed("ans", 40)],
  [44, 44, ll("ans", 25)],
  [45, 45, ll("ans", 76)],
  [46, 48, lll("ans")],
  [49, 51, fixed("n", 3)],
  // A PIN block of ISO 9564-1: format 0 has 8 bytes, format 4, one block of AES, has 16.
  [52, 52, { ...fixed("b", 8), orLength: 16 }],
  [53, 53, fixed("n", 16)],
  [54, 54, lll("an", 120)],
  // Reserved in 1987; EMV data since.
  [55, 55, lll("b")],
  [56, 63, lll("ans")],
  [64, 64, fixed("b", 8)],
  [65, 65, fixed("b", 1)],
  [66, 66, fixed("n", 1)],
  [67, 67, fixed("n", 2)],
  [68, 70, fixed("n", 3)],
  [71, 72, fixed("n", 4)],
  [73, 73, fixed("n", 6)],
  [74, 81, fixed("n", 10)],
  [82, 85, fixed("n", 12)],
  [86, 89, fixed("n", 16)],
  [90, 90, fixed("n", 42)],
  [91, 91, fixed("an", 1)],
  [92, 92, fixed("an", 2)],
  [93, 93, fixed("an", 5)],
  [94, 94, fixed("an", 7)],
  [95, 95, fixed("an", 42)],
  [96, 96, fixed("b", 8)],
  [97, 97, fixed("xn", 17)],
  [98, 98, fixed("ans", 25)],
  [99, 100, ll("n", 11)],
  [101, 101, ll("ans", 17)],
  [102, 103, ll("ans", 28)],
  [104, 104, lll("ans", 100)],
  [105, 127, lll("ans")],
  [128, 128, fixed("b", 8)],
];

/** The data elements of ISO 8583:1987, by number. */
export const fields: ReadonlyMap<number, Field> = new Map(
  ranges.flatMap(([first, last, field]) =>
    Array.from({ length: last - first + 1 }, (_, index) => [first + index, field] as const),
  ),
);

/** Data elements by their numbers. Those with `In` are the currencies of amounts. */
export const de = {
  amount: 4,
  billingAmount: 6,
  approval: 38,
  response: 39,
  amountIn: 49,
  /** Its subelement 33 names a token, DE124 the token's device. */
  additional: 48,
  device: 124,
  billingAmountIn: 51,
  additionalAmounts: 54,
  management: 70,
  original: 90,
  remaining: 95,
} as const;

const contents: Readonly<Record<Content, readonly [pattern: RegExp, sentence: string]>> = {
  n: [/^\d*$/, "must be digits"],
  an: [/^[A-Za-z0-9 ]*$/, "must be letters, digits and spaces"],
  ans: [/^[\0-\xff]*$/, "must be characters of one byte"],
  z: [/^[\d=D]*$/, "must be digits and separators"],
  xn: [/^[CD]\d*$/, "must be C or D and digits"],
  b: [/^([0-9A-F]{2})*$/, "must be bytes in upper-case hexadecimal"],
};

/** What is wrong with a value. The value itself is never in it: it may be a card number. */
export function findFault({ content, length, prefix, orLength }: Field, value: string): string | undefined {
  const [pattern, sentence] = contents[content];
  if (!pattern.test(value)) return sentence;
  const found = content === "b" ? value.length / 2 : value.length;
  const unit = content === "b" ? "bytes" : "characters";
  if (prefix !== undefined)
    return found > length ? `must have at most ${length} ${unit}, not ${found}` : undefined;
  const lengths = [length, ...(orLength === undefined ? [] : [orLength])];
  return lengths.includes(found) ? undefined : `must have ${lengths.join(" or ")} ${unit}, not ${found}`;
}

/** The values of a message, by the numbers of its data elements. */
export type Values = Readonly<Record<number, string>>;

/** DE6. Zeros beside an amount of the transaction only fill it. */
export const readBilling = ({ [de.amount]: amount = "0", [de.billingAmount]: billing }: Values) =>
  Number(billing) === 0 && Number(amount) > 0 ? undefined : billing;

/** A data element is missing, or does not say what it must. */
export class Missing extends Error {
  readonly field: number;

  constructor(field: number, message = "is missing") {
    super(message);
    this.field = field;
  }
}

export function requireFrom(values: Values): (field: number) => string {
  return (field) => {
    const value = values[field];
    if (value === undefined || value.trim() === "") throw new Missing(field);
    return value;
  };
}

/** A category, then subelements of two digits, two digits of length and a value. */
export function readSubelements(additional = ""): Map<string, string> {
  const found = new Map<string, string>();
  let rest = /^\d/.test(additional) ? additional : additional.slice(1);
  while (rest !== "") {
    const [, id, length] = /^(\d\d)(\d\d)/.exec(rest) ?? [];
    if (id === undefined || rest.length < 4 + Number(length)) return new Map();
    found.set(id, rest.slice(4, 4 + Number(length)));
    rest = rest.slice(4 + Number(length));
  }
  return found;
}
