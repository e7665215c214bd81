import { constants, inflateSync } from "node:zlib";
import { decodePDFRawStream, PDFContext, PDFRawStream } from "@cantoo/pdf-lib";
import { withoutPredictor } from "./pdf-predictor.ts";
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
const chunkBytes = 65_536;

interface Step {
  readonly filter: string;
  readonly parameters: Dictionary | undefined;
}

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
  for (const { filter, parameters } of stepsOf(dictionary)) {
    if (filter === "FlateDecode") {
      const { buffer, engine } = inflate(decoded, most - made);
      if (decoded === data) used = engine.bytesWritten;
      decoded = buffer;
    } else decoded = decodeSlowly(decoded, filter, parameters, most - made);
    made += decoded.length;
    decoded = withoutPredictor(decoded, parameters);
  }
  return { decoded, used, made };
}

function stepsOf({ entries, twice }: Dictionary): Step[] {
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

/** In pieces, because the library knows no limit. */
function decodeSlowly(
  data: Uint8Array,
  filter: string,
  parameters: Dictionary | undefined,
  most: number,
): Uint8Array {
  const EarlyChange = parameters?.entries.get("EarlyChange") === 0 ? 0 : 1;
  const dictionary = PDFContext.create().obj({ Filter: filter, DecodeParms: { EarlyChange } });
  const stream = decodePDFRawStream(PDFRawStream.of(dictionary, data));
  const pieces: Uint8Array[] = [];
  let left = most;
  for (let piece = stream.getBytes(chunkBytes); piece.length > 0; piece = stream.getBytes(chunkBytes)) {
    left -= piece.length;
    if (left < 0) throw new MalformedError("a stream that is too long");
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}
