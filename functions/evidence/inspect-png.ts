import { crc32 } from "node:zlib";
import type { EvidenceRejection } from "../../shared/contract/evidence.ts";

const signatureBytes = 8;
const headerBytes = 13;
/** A chunk's length, type and checksum. */
const frameBytes = 12;
const critical: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
/** Bits of a sample, by colour type (PNG specification, table 11.1). */
const depths = [[1, 2, 4, 8, 16], [], [8, 16], [1, 2, 4, 8], [8, 16], [], [8, 16]];

/** Header first, each checksum right, the image's data in one row, and nothing after the end. */
export function inspectPng(bytes: Buffer): EvidenceRejection | undefined {
  const types: string[] = [];
  for (let at = signatureBytes; types.at(-1) !== "IEND"; ) {
    if (at + frameBytes > bytes.length) return "malformed";
    const length = bytes.readUInt32BE(at);
    const end = at + frameBytes + length;
    if (end > bytes.length) return "malformed";
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!isChunk(type, bytes.subarray(at + 4, end - 4), bytes.readUInt32BE(end - 4))) return "malformed";
    if (types.length === 0 && !isHeader(type, bytes.subarray(at + 8, end - 4))) return "malformed";
    types.push(type);
    at = end;
    if (type === "IEND" && (length > 0 || at !== bytes.length)) return "malformed";
  }
  const [first, last] = [types.indexOf("IDAT"), types.lastIndexOf("IDAT")];
  const isWhole = first > 0 && types.slice(first, last).every((type) => type === "IDAT");
  return isWhole && types.lastIndexOf("IHDR") === 0 ? undefined : "malformed";
}

function isChunk(type: string, checked: Buffer, checksum: number): boolean {
  const isKnown = /^[a-z][A-Za-z]{3}$/.test(type) || critical.has(type);
  return isKnown && crc32(checked) === checksum;
}

function isHeader(type: string, data: Buffer): boolean {
  if (type !== "IHDR" || data.length !== headerBytes) return false;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8);
  const isFit = width > 0 && height > 0 && (depths[colour] ?? []).includes(depth);
  return isFit && compression === 0 && filter === 0 && interlace <= 1;
}
