import { type Dialect, readText } from "./dialects.ts";
import type { Field } from "./fields.ts";

/** The end of a data element is unknown: nothing after it can be read. */
export class Unreadable extends Error {}

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
