import { MalformedError } from "./pdf-tokens.ts";

/** What a filter makes: `most` bytes at most. */
export class Output {
  #buffer = Buffer.alloc(4_096);
  length = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  push(byte: number): void {
    if (this.length >= this.#most) throw new MalformedError("a stream that is too long");
    if (this.length === this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(this.length)]);
    this.#buffer[this.length++] = byte;
  }

  /** What it has from a place on, which may reach into what this adds. */
  repeat(start: number, length: number): void {
    for (let at = start; at < start + length; at += 1) this.push(this.#buffer[at] ?? 0);
  }
}

/** NUL, tab, line feed, form feed, carriage return and space. */
const blanks: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32]);
const [greater, tilde, z] = Buffer.from(">~z");
const hexDigits: ReadonlyMap<number, number> = new Map(
  [..."0123456789ABCDEFabcdef"].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);
type Decode = (data: Uint8Array, output: Output, earlyChange: 0 | 1) => void;

const decodeHex: Decode = (data, output) => {
  let half: number | undefined;
  for (const byte of data) {
    if (byte === greater) break;
    const digit = hexDigits.get(byte);
    if (digit === undefined) continue;
    if (half !== undefined) output.push(16 * half + digit);
    half = half === undefined ? digit : undefined;
  }
  if (half !== undefined) output.push(16 * half);
};

const decodeAscii85: Decode = (data, output) => {
  let [digits, value] = [0, 0];
  const flush = (bytes: number) => {
    for (let shift = 24; shift > 24 - 8 * bytes; shift -= 8) output.push(value >>> shift);
    [digits, value] = [0, 0];
  };
  for (const byte of data) {
    if (blanks.has(byte)) continue;
    if (byte === tilde) break;
    if (byte !== z || digits > 0) {
      value = 85 * value + byte - 33;
      digits += 1;
    }
    if (digits === 0 || digits === 5) flush(4);
  }
  const left = digits - 1;
  for (; digits > 0 && digits < 5; digits += 1) value = 85 * value + 84;
  flush(left);
};

const decodeRunLength: Decode = (data, output) => {
  for (let at = 0; at + 1 < data.length && data[at] !== 128; ) {
    const length = data[at] ?? 0;
    if (length < 128) for (const byte of data.subarray(at + 1, at + 2 + length)) output.push(byte);
    else for (let times = 257 - length; times > 0; times -= 1) output.push(data[at + 1] ?? 0);
    at += length < 128 ? 2 + length : 2;
  }
};

const [clear, endOfData, mostCodes, widest] = [256, 257, 4_096, 12];

/** A code stands for a part of the output: what the code before stood for, and a byte more. */
const decodeLzw: Decode = (data, output, earlyChange) => {
  const starts = new Uint32Array(mostCodes);
  const lengths = new Uint32Array(mostCodes);
  let [width, next, held, bits] = [9, endOfData + 1, 0, 0];
  let before = { start: 0, length: 0 };
  for (const byte of data) {
    held = ((held << 8) | byte) & 0xfffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === endOfData) return;
    const start = output.length;
    if (code < clear) output.push(code);
    else if (code === clear) [width, next, before.length] = [9, endOfData + 1, 0];
    else if (code < next) output.repeat(starts[code] ?? 0, lengths[code] ?? 0);
    else if (before.length > 0) output.repeat(before.start, before.length + 1);
    if (before.length > 0 && next < mostCodes) {
      starts[next] = before.start;
      lengths[next] = before.length + 1;
      next += 1;
      if (next + earlyChange >= 1 << width && width < widest) width += 1;
    }
    before = { start, length: output.length - start };
  }
};

/**
 * By filter (ISO 32000-1, 7.4.2 to 7.4.5). As most readers do, they pass over what is wrong, and
 * need no end.
 */
export const decoders: ReadonlyMap<string, Decode> = new Map([
  ["ASCIIHexDecode", decodeHex],
  ["ASCII85Decode", decodeAscii85],
  ["RunLengthDecode", decodeRunLength],
  ["LZWDecode", decodeLzw],
]);
