import type { EvidenceRejection } from "../../shared/contract/evidence.ts";
import { decode, endsItself, hasKnownFilters } from "./pdf-filters.ts";
import {
  type Dictionary,
  isDictionary,
  isName,
  isReference,
  longestText,
  MalformedError,
  Tokens,
  type Value,
} from "./pdf-tokens.ts";

const tailBytes = 1_024;
/**
 * What is read of a file, compared with its length: what stands in something else is read twice,
 * and that has an end, so that no file takes long.
 */
const mostReading = 1.5;
const leastReading = 65_536;
/** What finding an object costs, in bytes that are read. */
const costOfObject = 16;
/** What packed objects may grow to, all together. */
const unpackedBytes = (length: number) => Math.min(16, 2 + (4 * length) / 1_048_576) * 1_048_576;
const mostPacked = 100_000;

/** Actions and annotations that run, play, open or send something, and attached files. */
const active: ReadonlySet<string> = new Set(
  "JavaScript Launch Rendition GoToR GoToE ImportData SubmitForm RichMedia RichMediaExecute FileAttachment EmbeddedFile EmbeddedFiles".split(
    " ",
  ),
);
/** Entries that have a script or a file. As values, they may be the name of a font. */
const activeKeys: ReadonlySet<string> = new Set(["JS", "XFA", "EF", "OnInstantiate"]);
/** Fewer of a long link's first characters do not tell its scheme. */
const shortestBeginning = 24;
const activeScheme = /^[^a-z]*(?:javascript|vbscript|data|file)\s*:/i;

/**
 * Header at the first byte, end at the last, cross-references that lead to a catalogue. Each object
 * is read that any reader could find, wherever it stands: in another object, in a stream, packed,
 * or replaced by a later one.
 */
export function inspectPdf(bytes: Buffer): EvidenceRejection | undefined {
  const text = bytes.toString("latin1");
  const [, at] = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/.exec(text.slice(-tailBytes)) ?? [];
  if (at === undefined || !/^%PDF-(1\.[0-7]|2\.0)[\s%]/.test(text)) return "malformed";
  const file = new PdfFile(bytes, text);
  try {
    const root = file.readRoot(Number(at));
    file.readObjects();
    if (file.found.encrypted) return "encrypted";
    file.readPacked();
    if (file.found.active) return "active_content";
    return root !== undefined && file.catalogues.has(root) ? undefined : "malformed";
  } catch {
    return file.found.encrypted ? "encrypted" : "malformed";
  }
}

class PdfFile {
  readonly found = { encrypted: false, active: false };
  /** The numbers of objects that lead to pages. */
  readonly catalogues = new Set<number>();
  readonly #bytes: Buffer;
  readonly #text: string;
  readonly #packed: { readonly dictionary: Dictionary; readonly start: number }[] = [];
  #toRead: number;
  #toUnpack: number;

  constructor(bytes: Buffer, text: string) {
    this.#bytes = bytes;
    this.#text = text;
    this.#toRead = leastReading + mostReading * text.length;
    this.#toUnpack = Math.floor(unpackedBytes(text.length));
  }

  /** The catalogue that a table of cross-references, or a stream of them, names. */
  readRoot(at: number): number | undefined {
    const tokens = new Tokens(this.#text, this.#report, at);
    tokens.skipBlanks();
    const isTable = this.#text.startsWith("xref", tokens.at);
    if (!isTable && !/^\d+\s+\d+\s+obj/.test(this.#text.slice(tokens.at, tokens.at + 64))) return undefined;
    const before = isTable ? "trailer" : "obj";
    const begin = this.#text.indexOf(before, tokens.at);
    if (begin < 0) return undefined;
    tokens.at = begin + before.length;
    const dictionary = this.#read(tokens);
    if (!isDictionary(dictionary) || dictionary.twice) return undefined;
    const root = dictionary.entries.get("Root");
    const isReadable = isTable || readType(dictionary) === "XRef";
    return isReadable && isReference(root) ? root.reference : undefined;
  }

  /** Wherever `obj` or `trailer` stands: cross-references may lead to any of them. */
  readObjects(): void {
    for (const match of this.#text.matchAll(/(?<![a-z])(?:obj|trailer)/g)) {
      this.#charge(costOfObject);
      const number = objectNumber(this.#text, match.index);
      const tokens = new Tokens(this.#text, this.#report, match.index + match[0].length);
      try {
        const value = this.#read(tokens);
        if (isDictionary(value)) this.#keep(value, number, tokens);
      } catch (error) {
        // Without a number, it is three letters by chance, such as in an image.
        if (number !== undefined) throw error;
      }
    }
  }

  #keep(dictionary: Dictionary, number: number | undefined, tokens: Tokens): void {
    this.#noteCatalogue(dictionary, number);
    const from = tokens.at;
    tokens.skipBlanks();
    this.#charge(tokens.at - from);
    if (!this.#text.startsWith("stream", tokens.at)) return;
    this.#charge(costOfObject);
    const { entries } = dictionary;
    if (!hasKnownFilters(dictionary) || entries.has("F"))
      throw new MalformedError("a stream that cannot be read");
    const begin = tokens.at + "stream".length;
    const [lineEnd = ""] = /^\r?\n|^\r/.exec(this.#text.slice(begin, begin + 2)) ?? [];
    const type = readType(dictionary);
    if (entries.has("First") || type === "ObjStm" || type === "XRef")
      this.#packed.push({ dictionary, start: begin + lineEnd.length });
  }

  #noteCatalogue(dictionary: Dictionary, number: number | undefined): void {
    const leads = readType(dictionary) === "Catalog" && dictionary.entries.has("Pages");
    if (leads && number !== undefined) this.catalogues.add(number);
  }

  /** Streams of objects and of cross-references. */
  readPacked(): void {
    for (const { dictionary, start } of this.#packed) {
      const end = endsItself(dictionary) ? undefined : this.#endOf(dictionary, start);
      const { decoded, used, made } = decode(this.#bytes.subarray(start, end), dictionary, this.#toUnpack);
      this.#toUnpack -= made;
      this.#charge(used);
      if (readType(dictionary) !== "XRef" || dictionary.entries.has("First"))
        this.#readUnpacked(Buffer.from(decoded).toString("latin1"), dictionary);
    }
  }

  /** Only where its own length says so: without, readers find another one. */
  #endOf({ entries }: Dictionary, start: number): number {
    const length = entries.get("Length");
    const end = typeof length === "number" ? start + length : -1;
    if (end < start || !/^[\s\0]*endstream/.test(this.#text.slice(end, end + 16)))
      throw new MalformedError("a stream without end");
    return end;
  }

  /** One after the other, and each at its place: readers do either. */
  #readUnpacked(text: string, { entries }: Dictionary): void {
    const [count, first] = [entries.get("N"), entries.get("First")];
    if (typeof count !== "number" || typeof first !== "number" || count > mostPacked)
      throw new MalformedError("no places");
    this.#toRead += leastReading + mostReading * text.length;
    const places = new Tokens(text, this.#report);
    const numbers = new Map<number, number>();
    for (let index = 0; index < count; index += 1) {
      const [number, at] = [this.#read(places), this.#read(places)];
      if (typeof number !== "number" || typeof at !== "number") throw new MalformedError("no place");
      numbers.set(first + at, number);
    }
    const readAt = (tokens: Tokens) => {
      const number = numbers.get(tokens.at);
      numbers.delete(tokens.at);
      const value = this.#read(tokens);
      if (isDictionary(value)) this.#noteCatalogue(value, number);
    };
    const inOrder = new Tokens(text, this.#report, first);
    while (!inOrder.isDone()) readAt(inOrder);
    for (const at of [...numbers.keys()]) {
      this.#charge(costOfObject);
      readAt(new Tokens(text, this.#report, at));
    }
  }

  #read(tokens: Tokens): Value {
    const from = tokens.at;
    try {
      return tokens.read();
    } finally {
      this.#charge(tokens.at - from);
    }
  }

  #charge(length: number): void {
    this.#toRead -= length;
    if (this.#toRead < 0) throw new MalformedError("too much to read");
  }

  readonly #report = (name: string, isKey: boolean, value: Value): void => {
    if (isKey && name === "Encrypt") this.found.encrypted = true;
    if (active.has(name) || (isKey && activeKeys.has(name))) this.found.active = true;
    if (name === "URI" && isActiveLink(value)) this.found.active = true;
  };
}

/** Also one that is told elsewhere, or whose beginning is hidden behind blanks. */
function isActiveLink(value: Value): boolean {
  if (isReference(value)) return true;
  if (typeof value !== "string") return false;
  const text = unescaped(value);
  return activeScheme.test(text) || (value.length >= longestText && text.length < shortestBeginning);
}

/** Takes out what readers of links drop. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\([0-7]{1,3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))
    .replaceAll(/[\\\s\0]/g, "");
}

function readType({ entries }: Dictionary): string | undefined {
  const value = entries.get("Type");
  return isName(value) ? value.name : undefined;
}

const generation = /(?<!\d)(\d{1,10})[\s\0]{1,16}\d{1,5}[\s\0]{0,16}$/;

/** Reads `12 0 obj` backwards. */
function objectNumber(text: string, at: number): number | undefined {
  const number = generation.exec(text.slice(Math.max(0, at - 32), at))?.[1];
  return number === undefined ? undefined : Number(number);
}
