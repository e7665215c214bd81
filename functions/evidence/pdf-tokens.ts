/** What is of interest in a value. Other entries of dictionaries are read and dropped. */
export type Value = Name | Reference | number | string | readonly Value[] | Dictionary | undefined;

export interface Name {
  readonly name: string;
}

/** Names an object by its number. */
export interface Reference {
  readonly reference: number;
}

/** `twice`: a key of interest is in it twice, so that readers may differ. */
export interface Dictionary {
  readonly entries: ReadonlyMap<string, Value>;
  readonly twice: boolean;
}

export const isName = (value: Value): value is Name => typeof value === "object" && "name" in value;
export const isReference = (value: Value): value is Reference =>
  typeof value === "object" && "reference" in value;
export const isDictionary = (value: Value): value is Dictionary =>
  typeof value === "object" && "twice" in value;

/** The file is broken, or made to take long. */
export class MalformedError extends Error {}

const unit = (character: string) => character.charCodeAt(0);
const [slash, open, close, backslash, percent] = [..."/()\\%"].map(unit);
const [less, greater, leftBracket, rightBracket] = [..."<>[]"].map(unit);
const [zero, nine] = [48, 57];

const [white, delimiter] = [1, 2];
const classes = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") classes[unit(character)] = white;
for (const character of "()<>[]{}/%") classes[unit(character)] = delimiter;

const interesting: ReadonlySet<string> = new Set([
  ...["Type", "Pages", "Root", "URI", "First", "N", "Length", "Filter", "DecodeParms", "DP", "F"],
  ...["Predictor", "Columns", "Colors", "BitsPerComponent", "EarlyChange"],
]);
const noEntries: ReadonlyMap<string, Value> = new Map();
/** Every name of interest is shorter, also if each of its characters is a #-unit. */
const longestName = 60;
const longestNumber = 10;
export const longestText = 64;
const deepest = 200;
/** An array has few items: filters are few. */
const mostItems = 16;

type Report = (name: string, isKey: boolean, value: Value) => void;

/** Reads values one after the other, and reports each name and each key. Never goes back. */
export class Tokens {
  readonly text: string;
  readonly #report: Report;
  at: number;

  constructor(text: string, report: Report, at = 0) {
    this.text = text;
    this.#report = report;
    this.at = at;
  }

  isDone(): boolean {
    this.skipBlanks();
    return this.at >= this.text.length;
  }

  skipBlanks(): void {
    const { text } = this;
    let at = this.at;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (classes[unit] === white) at += 1;
      else if (unit === percent) at = endOfLine(text, at);
      else break;
    }
    this.at = at;
  }

  /** A name, number, text, array or dictionary. Undefined for any other word. */
  read(depth = 0): Value {
    if (depth > deepest) throw new MalformedError("too deep");
    this.skipBlanks();
    const first = this.text.charCodeAt(this.at);
    if (first === slash) return this.#readName(false);
    if (first === open) return this.#readText();
    if (first === leftBracket) return this.#readArray(depth);
    if (first === less)
      return this.text.charCodeAt(this.at + 1) === less ? this.#readDictionary(depth) : this.#readHex();
    if (classes[first] !== 0) throw new MalformedError("no value");
    return this.#readWord();
  }

  #readWord(): number | undefined {
    const { text } = this;
    const start = this.at;
    let at = start;
    let value = 0;
    let isWhole = true;
    for (let unit = text.charCodeAt(at); classes[unit] === 0; unit = text.charCodeAt(++at)) {
      if (unit >= zero && unit <= nine) value = value * 10 + unit - zero;
      else isWhole = false;
    }
    this.at = at;
    return isWhole && at - start <= longestNumber ? value : undefined;
  }

  #readName(isKey: boolean): Name {
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    while (classes[text.charCodeAt(at)] === 0) at += 1;
    this.at = at;
    if (at - start > longestName) return { name: "" };
    const name = withoutCodes(text.slice(start, at));
    if (!isKey) this.#report(name, false, undefined);
    return { name };
  }

  #readArray(depth: number): readonly Value[] {
    this.at += 1;
    const items: Value[] = [];
    for (this.skipBlanks(); this.text.charCodeAt(this.at) !== rightBracket; this.skipBlanks()) {
      const value = this.read(depth + 1);
      if (items.length < mostItems) items.push(value);
    }
    this.at += 1;
    return items;
  }

  #readDictionary(depth: number): Dictionary {
    this.at += 2;
    let entries: Map<string, Value> | undefined;
    let twice = false;
    for (this.skipBlanks(); !this.#isAtEnd(); this.skipBlanks()) {
      const isKey = this.text.charCodeAt(this.at) === slash;
      // What stands where a key should be is dropped, as tolerant readers do.
      const { name } = isKey ? this.#readName(true) : { name: "" };
      const value = this.#readEntry(depth + 1);
      if (isKey) this.#report(name, true, value);
      if (!interesting.has(name)) continue;
      entries ??= new Map();
      twice ||= entries.has(name);
      entries.set(name, value);
    }
    this.at += 2;
    return { entries: entries ?? noEntries, twice };
  }

  /** A number with more behind it is a reference. */
  #readEntry(depth: number): Value {
    this.skipBlanks();
    if (this.#isAtEnd()) return undefined;
    const value = this.read(depth);
    let isAlone = true;
    for (this.skipBlanks(); !this.#isAtEnd() && this.text.charCodeAt(this.at) !== slash; this.skipBlanks()) {
      this.read(depth);
      isAlone = false;
    }
    return typeof value === "number" && !isAlone ? { reference: value } : value;
  }

  #isAtEnd(): boolean {
    return this.text.charCodeAt(this.at) === greater && this.text.charCodeAt(this.at + 1) === greater;
  }

  /** Its first characters, as they are written. */
  #readText(): string {
    const { text } = this;
    const start = this.at;
    let at = start;
    let depth = 0;
    do {
      const unit = text.charCodeAt(at);
      if (unit === backslash) at += 1;
      else if (unit === open) depth += 1;
      else if (unit === close) depth -= 1;
      at += 1;
      if (at > text.length) throw new MalformedError("a text without end");
    } while (depth > 0);
    this.at = at;
    return text.slice(start + 1, Math.min(at - 1, start + 1 + longestText));
  }

  #readHex(): string {
    const end = this.text.indexOf(">", this.at);
    if (end < 0) throw new MalformedError("a text without end");
    const digits = this.text.slice(this.at + 1, Math.min(end, this.at + 2 * longestText));
    this.at = end + 1;
    return Buffer.from(digits.replaceAll(/[^\da-fA-F]/g, ""), "hex").toString("latin1");
  }
}

const lineEnd = /[\r\n]/g;

function endOfLine(text: string, from: number): number {
  lineEnd.lastIndex = from;
  return lineEnd.exec(text)?.index ?? text.length;
}

/** A name may have its characters as #-codes. */
function withoutCodes(name: string): string {
  let plain = "";
  let done = 0;
  for (let at = name.indexOf("#"); at >= 0; at = name.indexOf("#", done)) {
    const value = Number.parseInt(name.slice(at + 1, at + 3), 16);
    const isCode = value >= 16 || (value >= 0 && name.charCodeAt(at + 1) === zero);
    plain += name.slice(done, at) + (isCode ? String.fromCharCode(value) : "#");
    done = at + (isCode ? 3 : 1);
  }
  return done === 0 ? name : plain + name.slice(done);
}
