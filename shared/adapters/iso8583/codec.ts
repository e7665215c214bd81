import { type Encoding, plain, readText, toBuffer, writeText } from "./dialect.ts";
import { type Field, fields, findFault, type Values } from "./fields.ts";

/** A message: its data elements by number, as text; those of bytes in upper-case hexadecimal. */
export interface Message {
  /** Message type: four digits, such as 0100. */
  readonly mti: string;
  readonly fields: Values;
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

/** How the values of a data element are written in bytes. */
type Form = "characters" | "packed" | "signed" | "bytes";

interface Plan extends Field {
  readonly form: Form;
  /** How many bytes tell its length. */
  readonly prefixBytes: number;
  /** What every byte of a right value has, and every character. 0: only `findFault` knows. */
  readonly byteKind: number;
  readonly characterKind: number;
}

/** What a dialect knows before it reads a message. */
interface Layout {
  readonly dialect: Encoding;
  readonly mti: Plan;
  readonly plans: readonly (Plan | undefined)[];
  /** With a PIN block of 16 bytes. */
  readonly longPlans: readonly (Plan | undefined)[];
  /** The kinds of each byte. */
  readonly byteKinds: Uint8Array;
  readonly byteOfCharacter: Uint8Array;
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const digitZero = 48;

const kinds = { n: 1, an: 2, ans: 4, z: 8, b: 16, packed: 32, packedTrack: 64 } as const;
const everyKind = 127;

/** The kinds of each character of one byte. */
const characterKinds = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return (
    (/\d/.test(character) ? kinds.n : 0) |
    (/[A-Za-z0-9 ]/.test(character) ? kinds.an : 0) |
    kinds.ans |
    (/[\d=D]/.test(character) ? kinds.z : 0) |
    (/[0-9A-F]/.test(character) ? kinds.b : 0)
  );
});

/** What a character is as half a byte: a digit of its own, or the separator of a track. */
const halfOfCharacter = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return Number.parseInt(character === "=" ? "D" : character, 16) || 0;
});

const mtiField: Field = { content: "n", length: 4 };
const layouts = new Map<Encoding, Layout>();

function layoutOf(dialect: Encoding): Layout {
  const known = layouts.get(dialect);
  if (known) return known;
  const latin1 = readText(everyByte, dialect);
  const plans = Array.from({ length: 129 }, (_, number) => {
    const field = fields.get(number);
    return field && toPlan(field, dialect);
  });
  const layout: Layout = {
    dialect,
    mti: toPlan(mtiField, dialect),
    plans,
    longPlans: plans.map((plan) =>
      plan?.orLength === undefined ? plan : { ...plan, length: plan.orLength },
    ),
    byteKinds: Uint8Array.from({ length: 256 }, (_, byte) => {
      const [high, low] = [byte >> 4, byte & 15];
      return (
        (characterKinds[latin1.charCodeAt(byte)] ?? 0) |
        (high < 10 && low < 10 ? kinds.packed : 0) |
        ((high < 10 || high === 13) && (low < 10 || low === 13) ? kinds.packedTrack : 0)
      );
    }),
    byteOfCharacter: writeText(everyByte.toString("latin1"), dialect),
  };
  layouts.set(dialect, layout);
  return layout;
}

function toPlan(field: Field, dialect: Encoding): Plan {
  const { content, prefix } = field;
  const isText = dialect.digits === "characters" || content === "an" || content === "ans";
  const form = content === "b" ? "bytes" : isText ? "characters" : content === "xn" ? "signed" : "packed";
  const own = content === "xn" ? 0 : kinds[content];
  const byForm = { bytes: kinds.ans, characters: own, signed: 0, packed: kinds.packed };
  const isPackedTrack = form === "packed" && content === "z";
  return {
    ...field,
    form,
    prefixBytes: prefix === undefined ? 0 : dialect.lengths === "byte" ? 1 : prefix,
    byteKind: isPackedTrack ? kinds.packedTrack : byForm[form],
    // Packed, one separator of a track cannot be told from the other.
    characterKind: isPackedTrack ? 0 : own,
  };
}

/** How many bytes a value of so many characters takes, or one of so many bytes. */
function countBytes(form: Form, length: number): number {
  if (form === "packed") return (length + 1) >> 1;
  return form === "signed" ? 1 + (length >> 1) : length;
}

/** @throws Error for what is no message */
export function encodeMessage(message: Message, dialect: Encoding = plain): Uint8Array {
  const { mti, fields: values, hasEmptyBitmap } = message;
  const layout = layoutOf(dialect);
  // An object has them in the order of their numbers.
  const names = Object.keys(values);
  const hasSecond = hasEmptyBitmap === true || Number(names.at(-1)) > 64;
  const bitmapAt = countBytes(layout.mti.form, layout.mti.length);
  const start = bitmapAt + (hasSecond ? 16 : 8);
  let length = start;
  for (const name of names) {
    const { form, prefixBytes } = planOf(Number(name), layout);
    const { length: count } = values[Number(name)] ?? "";
    length += prefixBytes + countBytes(form, form === "bytes" ? count >> 1 : count);
  }
  const bytes = Buffer.allocUnsafe(length);
  for (let at = bitmapAt; at < start; at += 1) bytes[at] = 0;
  const writer = new Writer(bytes, layout);
  writer.write("MTI", layout.mti, mti);
  writer.position = start;
  if (hasSecond) bytes[bitmapAt] = 0x80;
  for (const name of names) {
    const number = Number(name);
    const at = bitmapAt + ((number - 1) >> 3);
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> ((number - 1) & 7));
    writer.write(number, planOf(number, layout), values[number] ?? "");
  }
  return bytes;
}

function planOf(number: number, { plans }: Layout): Plan {
  const plan = plans[number];
  if (!plan) throw new Error(describeFault({ field: number, reason: "is not a data element" }));
  return plan;
}

const longestOfByte = 255;

/** Writes values one after the other, and looks at each character once. */
class Writer {
  position = 0;
  readonly #bytes: Uint8Array;
  readonly #layout: Layout;

  constructor(bytes: Uint8Array, layout: Layout) {
    this.#bytes = bytes;
    this.#layout = layout;
  }

  /** @throws Error if the value is wrong: what was written of it is of no use */
  write(name: Fault["field"], plan: Plan, value: string): void {
    const { form, prefixBytes, length, characterKind } = plan;
    const count = form === "bytes" ? value.length / 2 : value.length;
    if (prefixBytes > 0) this.#putLength(count, prefixBytes);
    const found = form === "characters" ? this.#putCharacters(value) : this.#putHalves(value, plan);
    const most = prefixBytes === 1 ? Math.min(length, longestOfByte) : length;
    const fits = prefixBytes === 0 ? count === length : count <= most;
    if (fits && (found & characterKind) !== 0) return;
    const reason = findFault(plan, value) ?? findUnwritable(plan, value);
    if (reason !== undefined) throw new Error(describeFault({ field: name, reason }));
  }

  #putLength(count: number, prefixBytes: number): void {
    const end = this.position + prefixBytes;
    if (prefixBytes === 1) this.#bytes[this.position] = count;
    else
      for (let at = end - 1, rest = count; at >= this.position; at -= 1) {
        this.#bytes[at] = this.#layout.byteOfCharacter[digitZero + (rest % 10)] ?? 0;
        rest = Math.floor(rest / 10);
      }
    this.position = end;
  }

  /** Returns what all characters are. */
  #putCharacters(value: string): number {
    const { byteOfCharacter } = this.#layout;
    const bytes = this.#bytes;
    const start = this.position;
    let found = everyKind;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      found &= characterKinds[code] ?? 0;
      bytes[start + index] = byteOfCharacter[code] ?? 0;
    }
    this.position = start + value.length;
    return found;
  }

  /** Two characters to a byte. An odd number begins with a zero, or ends with one. */
  #putHalves(value: string, { form, isFilledAtEnd }: Plan): number {
    let index = 0;
    if (form === "signed") {
      index = 1;
      this.#putCharacters(value.slice(0, 1));
    }
    let found = everyKind;
    let isFirst = (value.length - index) % 2 === 0 || isFilledAtEnd === true;
    let byte = 0;
    for (; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      found &= characterKinds[code] ?? 0;
      byte = (byte << 4) | (halfOfCharacter[code] ?? 0);
      isFirst = !isFirst;
      if (!isFirst) continue;
      this.#bytes[this.position] = byte;
      this.position += 1;
      byte = 0;
    }
    if (!isFirst) {
      this.#bytes[this.position] = byte << 4;
      this.position += 1;
    }
    return found;
  }
}

/** What cannot be written of a value that `findFault` finds right. */
function findUnwritable({ content, form, prefixBytes }: Plan, value: string): string | undefined {
  if (form === "packed" && content === "z" && value.includes("D")) return "must have = as its separator";
  const length = form === "bytes" ? value.length / 2 : value.length;
  const isTooLong = prefixBytes === 1 && length > longestOfByte;
  return isTooLong ? `must have at most ${longestOfByte} characters in this dialect` : undefined;
}

/** What could be read of the bytes. Without faults, encoding the message gives the same bytes. */
interface ReadMessage {
  readonly message: Message;
  readonly faults: readonly Fault[];
  /** Where the data elements are in the bytes, with their lengths. */
  readonly places: readonly Place[];
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
export function readMessage(bytes: Uint8Array, dialect: Encoding = plain): ReadMessage {
  const layout = layoutOf(dialect);
  const short = readWith(bytes, layout, layout.plans);
  if (short.faults.length === 0) return short;
  const long = readWith(bytes, layout, layout.longPlans);
  return long.faults.length < short.faults.length ? long : short;
}

function readWith(bytes: Uint8Array, layout: Layout, plans: Layout["plans"]): ReadMessage {
  const reader = new Reader(bytes, layout);
  const found: Record<number, string> = {};
  const faults: Fault[] = [];
  const places: Place[] = [];
  let mti = "";
  let at: Fault["field"] = "MTI";
  let start = 0;
  let last = 0;
  let hasEmptyBitmap = false;
  let unreadFrom: number | undefined;
  try {
    mti = reader.read(layout.mti) ?? "";
    if (mti === "") throw new Unreadable(reader.fault);
    at = "bitmap";
    const bitmapAt = reader.position;
    const bitmapBytes = reader.skipBitmaps();
    last = findLast(bytes, bitmapAt, bitmapBytes);
    hasEmptyBitmap = bitmapBytes > 8 && last <= 64;
    // With its last one first, the object grows once.
    if (last > 1) found[last] = "";
    for (let number = 1; number < last; ) {
      number = findNext(bytes, bitmapAt, number);
      at = number;
      start = reader.position;
      const plan = plans[number];
      if (!plan) throw new Unreadable("is not a data element");
      const value = reader.read(plan);
      places.push({ field: number, start, end: reader.position });
      if (value === undefined) {
        faults.push({ field: number, reason: reader.fault });
        delete found[number];
      } else found[number] = value;
    }
    at = "end";
    start = reader.position;
    const { left } = reader;
    if (left > 0) throw new Unreadable(`has ${left} bytes after its last data element`);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    faults.push({ field: at, reason: error.message });
    if (at !== "end") delete found[last];
    unreadFrom = start;
  }
  return {
    message: hasEmptyBitmap ? { mti, fields: found, hasEmptyBitmap } : { mti, fields: found },
    faults,
    places,
    ...(unreadFrom !== undefined && { unreadFrom }),
  };
}

/** The next number that a bitmap has: there is one. */
function findNext(bytes: Uint8Array, bitmapAt: number, after: number): number {
  let at = after >> 3;
  let bits = (bytes[bitmapAt + at] ?? 0) & (0xff >> (after & 7));
  while (bits === 0) {
    at += 1;
    bits = bytes[bitmapAt + at] ?? 0xff;
  }
  return 8 * at + Math.clz32(bits) - 23;
}

/** The last number that a bitmap has, or 0. */
function findLast(bytes: Uint8Array, bitmapAt: number, bitmapBytes: number): number {
  let at = bitmapBytes - 1;
  while (at > 0 && bytes[bitmapAt + at] === 0) at -= 1;
  const bits = bytes[bitmapAt + at] ?? 0;
  return bits === 0 ? 0 : 8 * at + Math.clz32(bits & -bits) - 23;
}

/** The end of a data element is unknown: nothing after it can be read. */
class Unreadable extends Error {}

/** Reads values one after the other. All of the message becomes text at once, and is cut. */
class Reader {
  position = 0;
  /** What is wrong with the last value that was. */
  fault = "";
  readonly #bytes: Buffer;
  readonly #layout: Layout;
  #text: string | undefined;
  #hex: string | undefined;

  constructor(bytes: Uint8Array, layout: Layout) {
    this.#bytes = toBuffer(bytes);
    this.#layout = layout;
  }

  get left(): number {
    return this.#bytes.length - this.position;
  }

  /** Both, if there is a second one. Returns how many bytes they have. */
  skipBitmaps(): number {
    const count = ((this.#bytes[this.position] ?? 0) & 0x80) === 0 ? 8 : 16;
    this.#skip(8);
    this.#skip(count - 8);
    return count;
  }

  /** Undefined for what is wrong. */
  read(plan: Plan): string | undefined {
    const { form, prefixBytes, byteKind } = plan;
    const length = prefixBytes === 0 ? plan.length : this.#readLength(plan);
    const start = this.position;
    this.#skip(countBytes(form, length));
    const value = this.#toValue(plan, start, length);
    const { byteKinds } = this.#layout;
    const [bytes, end] = [this.#bytes, this.position];
    let kind = byteKind;
    for (let at = start; at < end; at += 1) kind &= byteKinds[bytes[at] ?? 0] ?? 0;
    const filler = form === "packed" && length % 2 === 1 ? this.#findFillerFault(plan, start) : undefined;
    const fault = kind === 0 ? (findFault(plan, value) ?? filler) : filler;
    if (fault === undefined) return value;
    this.fault = fault;
    return undefined;
  }

  #toValue({ content, form, isFilledAtEnd }: Plan, start: number, length: number): string {
    const end = this.position;
    if (form === "characters") return this.#characters.slice(start, end);
    if (form === "bytes") return this.#bytes.toString("hex", start, end).toUpperCase();
    const last = isFilledAtEnd ? 2 * start + length : 2 * end;
    if (form === "signed")
      return this.#characters.slice(start, start + 1) + this.#digits.slice(last - length + 1, last);
    const digits = this.#digits.slice(last - length, last);
    return content === "z" ? digits.replaceAll("d", "=") : digits;
  }

  /** The half of a byte that an odd number of digits leaves. */
  #findFillerFault({ isFilledAtEnd }: Plan, start: number): string | undefined {
    const half = isFilledAtEnd ? 2 * this.position - 1 : 2 * start;
    if (this.#digits.charCodeAt(half) === digitZero) return undefined;
    return `must ${isFilledAtEnd ? "end" : "begin"} with a zero: it is odd`;
  }

  #readLength({ length: most, prefixBytes }: Plan): number {
    const start = this.position;
    this.#skip(prefixBytes);
    let length = prefixBytes === 1 ? (this.#bytes[start] ?? 0) : 0;
    for (let at = start; prefixBytes > 1 && at < this.position; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (((this.#layout.byteKinds[byte] ?? 0) & kinds.n) === 0)
        throw new Unreadable(`must begin with its length in ${prefixBytes} digits`);
      // The lower half of a digit is its value, in ASCII and in EBCDIC.
      length = 10 * length + (byte & 15);
    }
    if (length > most) throw new Unreadable(`has the length ${length}, more than ${most}`);
    return length;
  }

  #skip(length: number): void {
    if (length > this.left) throw new Unreadable(`needs ${length} bytes; ${this.left} are left`);
    this.position += length;
  }

  get #characters(): string {
    this.#text ??= readText(this.#bytes, this.#layout.dialect);
    return this.#text;
  }

  get #digits(): string {
    this.#hex ??= this.#bytes.toString("hex");
    return this.#hex;
  }
}
