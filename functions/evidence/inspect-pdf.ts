import { constants, inflateSync } from "node:zlib";
import type { EvidenceRejection } from "../../shared/contract/evidence.ts";

const tailBytes = 1_024;
/** What object streams may grow to, all together. */
const largestObjects = 50 * 1024 * 1024;

/** Header at the first byte, end at the last, cross-references that lead to a catalogue. */
export function inspectPdf(bytes: Buffer): EvidenceRejection | undefined {
  const text = bytes.toString("latin1");
  const tail = text.slice(-tailBytes);
  const [, at] = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/.exec(tail) ?? [];
  if (at === undefined || !/^%PDF-(1\.[0-7]|2\.0)[\s%]/.test(text)) return "malformed";
  const trailer = readTrailer(text, Number(at));
  if (trailer === undefined || !/\/Root\s+\d+\s+\d+\s+R/.test(trailer)) return "malformed";
  if (/\/Encrypt\b/.test(trailer)) return "encrypted";
  const objects = readObjectStreams(bytes, text);
  if (objects === undefined) return "malformed";
  return [text, ...objects].some(isActive) ? "active_content" : undefined;
}

/** The dictionary of a table of cross-references, or of a stream of them. */
function readTrailer(text: string, at: number): string | undefined {
  const start = text.slice(at, at + 64).trimStart();
  const isTable = start.startsWith("xref");
  if (!isTable && !/^\d+\s+\d+\s+obj/.test(start)) return undefined;
  const begin = isTable ? text.indexOf("trailer", at) : at;
  const end = text.indexOf(isTable ? "startxref" : "stream", begin);
  if (begin < 0 || end < 0) return undefined;
  const dictionary = text.slice(begin, end);
  return isTable || /\/Type\s*\/XRef\b/.test(dictionary) ? dictionary : undefined;
}

/** Undefined if one cannot be read. */
function readObjectStreams(bytes: Buffer, text: string): string[] | undefined {
  const found: string[] = [];
  let left = largestObjects;
  for (let at = text.indexOf("/ObjStm"); at >= 0; at = text.indexOf("/ObjStm", at + 1)) {
    const start = text.indexOf("stream", at);
    const end = text.indexOf("endstream", start);
    const begin = text.lastIndexOf("obj", at);
    if (start < 0 || end < 0 || begin < 0) return undefined;
    if (!text.slice(begin, start).includes("/FlateDecode")) continue;
    const data = bytes.subarray(start + (text.startsWith("\r\n", start + 6) ? 8 : 7), end);
    try {
      const options = { maxOutputLength: left, finishFlush: constants.Z_SYNC_FLUSH };
      const objects = inflateSync(data, options).toString("latin1");
      left -= objects.length;
      found.push(objects);
    } catch {
      return undefined;
    }
  }
  return found;
}

/** A script, or the start of a program. A name may have its characters as #-codes. */
function isActive(text: string): boolean {
  const plain = text.replaceAll(/#([\da-fA-F]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /\/(JavaScript|Launch)\b/.test(plain);
}
