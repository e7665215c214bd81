import { type Dialect, dialects, readText, writeText } from "./dialects.ts";
import { type Field, fields, findFault } from "./fields.ts";

/** A message: its data elements by number, as text; those of bytes in upper-case hexadecimal. */
export interface Message {
  /** Message type: four digits, such as 0100. */
  readonly mti: string;
  readonly fields: Readonly<Record<number, string>>;
  /** It has the second bitmap without a data element above 64. */
  readonly hasEmptyBitmap?: true;
}

/** What is wrong, without the value: it may be a card number. */
export interface Fault {
  /** A data element, or a part before them. */
  readonly field: number | "MTI" | "bitmap" | "end";
  readonly reason: string;
}

export function describeFault({ field, reason }: Fault): string {
  if (field === "end") return `The message ${reason}.`;
  return `${typeof field === "number" ? `DE${field}` : `The ${field}`} ${reason}.`;
}

const mtiField: Field = { content: "n", length: 4 };

/** @throws Error for what is no message */
export function encodeMessage(message: Message, dialect: Dialect = dialects.default): Uint8Array {
  const given = Object.entries(message.fields)
    .map(([number, value]) => [Number(number), value] as const)
    .toSorted(([left], [right]) => left - right);
  const hasSecond = message.hasEmptyBitmap === true || given.some(([number]) => number > 64);
  const bitmap = new Uint8Array(hasSecond ? 16 : 8);
  for (const number of [...(hasSecond ? [1] : []), ...given.map(([one]) => one)])
    bitmap[(number - 1) >> 3] = (bitmap[(number - 1) >> 3] ?? 0) | (0x80 >> ((number - 1) & 7));
  return Buffer.concat([
    encodeField("MTI", mtiField, message.mti, dialect),
    bitmap,
    ...given.map(([number, value]) => {
      const field = fields.get(number);
      if (!field) throw new Error(describeFault({ field: number, reason: "is not a data element" }));
      return encodeField(number, field, value, dialect);
    }),
  ]);
}

function encodeField(name: Fault["field"], field: Field, value: string, dialect: Dialect): Uint8Array {
  const reason = findFault(field, value) ?? findUnwritable(field, value, dialect);
  if (reason !== undefined) throw new Error(describeFault({ field: name, reason }));
  const body = encodeValue(field, value, dialect);
  if (field.prefix === undefined) return body;
  const length = field.content === "b" ? value.length / 2 : value.length;
  if (dialect.lengths === "byte") return Buffer.concat([Uint8Array.of(length), body]);
  return Buffer.concat([writeText(String(length).padStart(field.prefix, "0"), dialect), body]);
}

const longestOfByte = 255;

function findUnwritable({ content, prefix }: Field, value: string, dialect: Dialect): string | undefined {
  if (content === "z" && dialect.digits === "bcd" && value.includes("D"))
    return "must have = as its separator";
  const length = content === "b" ? value.length / 2 : value.length;
  const isTooLong = prefix !== undefined && dialect.lengths === "byte" && length > longestOfByte;
  return isTooLong ? `must have at most ${longestOfByte} characters in this dialect` : undefined;
}

function encodeValue({ content, isFilledAtEnd }: Field, value: string, dialect: Dialect): Uint8Array {
  if (content === "b") return Buffer.from(value, "hex");
  if (dialect.digits === "characters" || content === "an" || content === "ans")
    return writeText(value, dialect);
  if (content === "xn") return Buffer.concat([writeText(value.slice(0, 1), dialect), packed(value.slice(1))]);
  return packed(isFilledAtEnd ? `${value}0` : value.replaceAll("=", "D"));
}

function packed(digits: string): Uint8Array {
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

/** What could be read of the bytes. Without faults, encoding the message gives the same bytes. */
interface ReadMessage {
  readonly message: Message;
  readonly faults: readonly Fault[];
  /** Where the data elements are in the bytes, with their lengths. */
  readonly places: readonly Place[];
  /** All data elements that the bitmaps name. */
  readonly numbers: readonly number[];
  /** Where the reading ended before the end of the bytes. */
  readonly unreadFrom?: number;
}

export interface Place {
  readonly field: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads on after wrong characters, up to the first data element whose end is unknown. Without a
 * message type, the message has no data elements. A PIN block of 16 bytes is one where the message
 * cannot be read with one of 8.
 */
export function readMessage(bytes: Uint8Array, dialect: Dialect = dialects.default): ReadMessage {
  const short = readWith(bytes, dialect, fields);
  if (short.faults.length === 0 || !short.numbers.includes(pinBlock)) return short;
  const long = readWith(bytes, dialect, withLongPinBlock);
  return long.faults.length < short.faults.length ? long : short;
}

const pinBlock = 52;
const withLongPinBlock = new Map(
  [...fields].map(([number, { orLength, ...field }]) => [
    number,
    { ...field, ...(orLength !== undefined && { length: orLength }) },
  ]),
);

function readWith(bytes: Uint8Array, dialect: Dialect, layout: typeof fields): ReadMessage {
  const reader = new Reader(bytes, dialect);
  const found: Record<number, string> = {};
  const faults: Fault[] = [];
  const places: Place[] = [];
  let start = 0;
  let unreadFrom: number | undefined;
  let mti = "";
  let at: Fault["field"] = "MTI";
  let hasEmptyBitmap = false;
  let numbers: readonly number[] = [];
  try {
    mti = reader.value(mtiField);
    const fault = findFault(mtiField, mti);
    if (fault !== undefined)
      return {
        message: { mti: "", fields: {} },
        faults: [{ field: at, reason: fault }],
        places,
        numbers,
        unreadFrom: 0,
      };
    at = "bitmap";
    numbers = reader.bitmap();
    hasEmptyBitmap = numbers[0] === 1 && !numbers.some((number) => number > 64);
    for (const number of numbers.filter((one) => one > 1)) {
      at = number;
      start = reader.position;
      const field = layout.get(number);
      if (!field) throw new Unreadable("is not a data element");
      const value = reader.field(field);
      places.push({ field: number, start, end: reader.position });
      const reason = findFault(field, value) ?? reader.takeFault();
      if (reason === undefined) found[number] = value;
      else faults.push({ field: number, reason });
    }
    at = "end";
    start = reader.position;
    const { left } = reader;
    if (left > 0) throw new Unreadable(`has ${left} bytes after its last data element`);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    faults.push({ field: at, reason: error.message });
    unreadFrom = start;
  }
  return {
    message: { mti, fields: found, ...(hasEmptyBitmap && { hasEmptyBitmap }) },
    faults,
    places,
    numbers,
    ...(unreadFrom !== undefined && { unreadFrom }),
  };
}

/** The end of a data element is unknown: nothing after it can be read. */
class Unreadable extends Error {}

export class Reader {
  readonly #bytes: Uint8Array;
  readonly #dialect: Dialect;
  #position = 0;
  #fault: string | undefined;

  constructor(bytes: Uint8Array, dialect: Dialect) {
    this.#bytes = bytes;
    this.#dialect = dialect;
  }

  get position(): number {
    return this.#position;
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  /** The numbers of both bitmaps, 1 among them if there is a second one. */
  bitmap(): number[] {
    const first = this.#take(8);
    const hasSecond = ((first[0] ?? 0) & 0x80) !== 0;
    const both = hasSecond ? Buffer.concat([first, this.#take(8)]) : first;
    const numbers = Array.from({ length: both.length * 8 }, (_, index) => index + 1);
    return numbers.filter((number) => ((both[(number - 1) >> 3] ?? 0) & (0x80 >> ((number - 1) & 7))) !== 0);
  }

  field(field: Field): string {
    if (field.prefix === undefined) return this.value(field);
    const length = this.#length(field.prefix);
    if (length > field.length) throw new Unreadable(`has the length ${length}, more than ${field.length}`);
    return this.value({ ...field, length });
  }

  value({ content, length, isFilledAtEnd }: Field): string {
    if (content === "b") return Buffer.from(this.#take(length)).toString("hex").toUpperCase();
    if (this.#dialect.digits === "characters" || content === "an" || content === "ans")
      return readText(this.#take(length), this.#dialect);
    if (content === "xn") return readText(this.#take(1), this.#dialect) + this.#packed(length - 1);
    if (isFilledAtEnd) return this.#packed(length + 1, length);
    return content === "z" ? this.#packed(length).replaceAll("d", "=") : this.#packed(length);
  }

  /** What is wrong with the last value that the value itself does not show. */
  takeFault(): string | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  /** `kept`: of the digits, those before the filler. */
  #packed(digits: number, kept?: number): string {
    const hex = Buffer.from(this.#take(Math.ceil(digits / 2))).toString("hex");
    if (kept !== undefined && !hex.endsWith("0")) this.#fault = "must end with a zero: it is odd";
    if (kept !== undefined) return hex.slice(0, kept);
    if (hex.length > digits && !hex.startsWith("0")) this.#fault = "must begin with a zero: it is odd";
    return hex.slice(hex.length - digits);
  }

  #length(prefix: 2 | 3): number {
    if (this.#dialect.lengths === "byte") return this.#take(1)[0] ?? 0;
    const text = readText(this.#take(prefix), this.#dialect);
    if (!/^\d+$/.test(text)) throw new Unreadable(`must begin with its length in ${prefix} digits`);
    return Number(text);
  }

  #take(length: number): Uint8Array {
    if (length > this.left) throw new Unreadable(`needs ${length} bytes; ${this.left} are left`);
    this.#position += length;
    return this.#bytes.subarray(this.#position - length, this.#position);
  }
}
