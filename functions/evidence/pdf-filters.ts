import { constants, inflateSync } from "node:zlib";
import { decoders, Output } from "./pdf-decoders.ts";
import { type Dictionary, isDictionary, isName, MalformedError, type Value } from "./pdf-tokens.ts";

/** The names of ISO 32000, and the short ones that readers take too. */
const filters: ReadonlyMap<string, string> = new Map([
  ["FlateDecode", "FlateDecode"],
  ["Fl", "FlateDecode"],
  ["LZWDecode", "LZWDecode"],
  ["LZW", "LZWDecode"],
  ["ASCII85Decode", "ASCII85Decode"],
  ["A85", "ASCII85Decode"],
  ["ASCIIHexDecode", "ASCIIHexDecode"],
  ["AHx", "ASCIIHexDecode"],
  ["RunLengthDecode", "RunLengthDecode"],
  ["RL", "RunLengthDecode"],
]);
/** Images, or what needs a key of the file's: these streams hold no objects. */
const others: ReadonlySet<string> = new Set([
  ...["DCTDecode", "DCT", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode", "CCF", "Crypt"],
]);
const mostFilters = 8;

/** Whether all filters are known. What is named elsewhere is not looked up. */
export function hasKnownFilters({ entries }: Dictionary): boolean {
  const names = listed(entries.get("Filter"));
  return names.every((one) => !isName(one) || filters.has(one.name) || others.has(one.name));
}

/** Whether the stream says itself where it ends, so that what is behind it does not matter. */
export function endsItself({ entries }: Dictionary): boolean {
  const [first] = listed(entries.get("Filter"));
  return isName(first) && filters.get(first.name) === "FlateDecode";
}

/**
 * What a stream holds, how many bytes of `data` that took, and how many were made, between filters
 * too: `most` at most.
 */
export function decode(data: Uint8Array, dictionary: Dictionary, most: number) {
  let used = data.length;
  let made = 0;
  let decoded = data;
  for (const { filter, parameters } of toSteps(dictionary)) {
    if (filter === "FlateDecode") {
      const { buffer, engine } = inflate(decoded, most - made);
      if (decoded === data) used = engine.bytesWritten;
      decoded = buffer;
    } else {
      const output = new Output(most - made);
      decoders.get(filter)?.(decoded, output, parameters?.entries.get("EarlyChange") === 0 ? 0 : 1);
      decoded = output.bytes;
    }
    made += decoded.length;
    decoded = withoutPredictor(decoded, parameters);
  }
  return { decoded, used, made };
}

function toSteps({ entries, twice }: Dictionary) {
  const names = listed(entries.get("Filter"));
  const parameters = listed(entries.get("DecodeParms") ?? entries.get("DP"));
  if (twice || names.length > mostFilters) throw new MalformedError("an ambiguous stream");
  return names.map((name, index) => {
    const filter = isName(name) ? filters.get(name.name) : undefined;
    const given = parameters[index];
    if (filter === undefined || !(given === undefined || isDictionary(given)))
      throw new MalformedError("a filter that is not known");
    return { filter, parameters: given };
  });
}

function listed(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

/** `engine.bytesWritten`: of the data, what the deflated stream took. */
function inflate(data: Uint8Array, most: number) {
  const options = { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH, info: true };
  return inflateSync(data, options) as unknown as {
    readonly buffer: Uint8Array;
    readonly engine: { readonly bytesWritten: number };
  };
}

/** Undoes PNG's predictors (ISO 32000-1, 7.4.4.4), or TIFF's for whole bytes. */
function withoutPredictor(data: Uint8Array, parameters: Dictionary | undefined): Uint8Array {
  const readNumber = (name: string, otherwise: number) => {
    const value = parameters?.entries.get(name) ?? otherwise;
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    throw new MalformedError(`a wrong ${name}`);
  };
  const predictor = readNumber("Predictor", 1);
  if (predictor === 1) return data;
  const [bits, colors] = [readNumber("BitsPerComponent", 8), readNumber("Colors", 1)];
  const width = Math.ceil((readNumber("Columns", 1) * colors * bits) / 8);
  const left = Math.ceil((colors * bits) / 8);
  if (predictor >= 10 && predictor <= 15) return undo(data, { width, left, tag: 1 });
  if (predictor === 2 && bits === 8) return undo(data, { width, left, tag: 0 });
  throw new MalformedError("a predictor that is not known");
}

interface Rows {
  /** How many bytes a row has, without its tag. */
  readonly width: number;
  /** How many bytes to the left a pixel has its neighbour. */
  readonly left: number;
  /** A row of PNG begins with a byte that names its predictor. */
  readonly tag: 0 | 1;
}

function undo(data: Uint8Array, { width, left, tag }: Rows): Uint8Array {
  const rows = Math.ceil(data.length / (width + tag));
  const out = Buffer.alloc(data.length - tag * rows);
  for (let row = 0; row < rows; row += 1) {
    const from = row * (width + tag);
    const kind = tag === 1 ? (data[from] ?? 0) : 1;
    const to = row * width;
    const length = Math.min(width, out.length - to);
    for (let index = 0; index < length; index += 1) {
      const at = to + index;
      const west = index < left ? 0 : (out[at - left] ?? 0);
      const north = out[at - width] ?? 0;
      const northWest = index < left ? 0 : (out[at - width - left] ?? 0);
      out[at] = (data[from + tag + index] ?? 0) + guess(kind, west, north, northWest);
    }
  }
  return out;
}

function guess(kind: number, west: number, north: number, northWest: number): number {
  if (kind === 0) return 0;
  if (kind === 1) return west;
  if (kind === 2) return north;
  if (kind === 3) return (west + north) >> 1;
  if (kind !== 4) throw new MalformedError("a row of no kind");
  const toWest = Math.abs(north - northWest);
  const toNorth = Math.abs(west - northWest);
  const toBoth = Math.abs(west + north - 2 * northWest);
  if (toWest <= toNorth && toWest <= toBoth) return west;
  return toNorth <= toBoth ? north : northWest;
}
