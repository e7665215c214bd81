/** Between two steps: eight words, how many bytes they are of, and what is no whole block yet. */
export interface Sha256State {
  readonly words: readonly number[];
  readonly bytes: number;
  /** In base64: fewer than 64 bytes. */
  readonly rest: string;
}

/** The first 32 bits of the fractional parts of roots of the first primes. */
function roots(count: number, root: (of: number) => number): number[] {
  const found: number[] = [];
  for (let of = 2; found.length < count; of += 1) {
    const isPrime = Array.from({ length: Math.floor(Math.sqrt(of)) - 1 }, (_, at) => at + 2).every(
      (divisor) => of % divisor !== 0,
    );
    if (isPrime) found.push(((root(of) % 1) * 2 ** 32) | 0);
  }
  return found;
}
const constants = Int32Array.from(roots(64, Math.cbrt));
const start: Sha256State = { words: roots(8, Math.sqrt), bytes: 0, rest: "" };

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/**
 * SHA-256 of what comes in many steps. Node's own cannot be stored between two of them; its own
 * is ten times as fast.
 */
export class RunningSha256 {
  readonly #words: Int32Array;
  readonly #schedule = new Int32Array(64);
  #bytes: number;
  #rest: Buffer;

  constructor({ words, bytes, rest }: Sha256State = start) {
    this.#words = Int32Array.from(words);
    this.#bytes = bytes;
    this.#rest = Buffer.from(rest, "base64");
  }

  get state(): Sha256State {
    return { words: [...this.#words], bytes: this.#bytes, rest: this.#rest.toString("base64") };
  }

  add(data: Buffer): void {
    this.#bytes += data.length;
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const whole = all.length - (all.length % 64);
    for (let at = 0; at < whole; at += 64) this.#addBlock(all, at);
    this.#rest = Buffer.from(all.subarray(whole));
  }

  /** In lower-case hex, of all that was added. */
  digest(): string {
    const last = new RunningSha256(this.state);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(this.#bytes) * 8n);
    const zeros = Buffer.alloc((119 - (this.#bytes % 64)) % 64);
    last.add(Buffer.concat([Buffer.from([0x80]), zeros, length]));
    return [...last.#words].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #addBlock(data: Buffer, offset: number): void {
    const w = this.#schedule;
    for (let at = 0; at < 16; at += 1) w[at] = data.readInt32BE(offset + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [w[at - 15] as number, w[at - 2] as number];
      const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      w[at] = ((w[at - 16] as number) + first + (w[at - 7] as number) + second) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#words;
    for (let at = 0; at < 64; at += 1) {
      const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const one = (h + high + ((e & f) ^ (~e & g)) + (constants[at] as number) + (w[at] as number)) | 0;
      const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f] = [g, f, e];
      e = (d + one) | 0;
      [d, c, b] = [c, b, a];
      a = (one + two) | 0;
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries())
      this.#words[at] = (this.#words[at] as number) + word;
  }
}
