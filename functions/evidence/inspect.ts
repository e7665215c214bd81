import { crc32 } from "node:zlib";
import type { EvidenceContentType, EvidenceRejection } from "../../shared/contract/evidence.ts";
import { inspectPdf } from "./inspect-pdf.ts";

interface Format {
  readonly magic: Buffer;
  readonly inspect: (bytes: Buffer) => EvidenceRejection | undefined;
}

const formats: Readonly<Record<EvidenceContentType, Format>> = {
  "image/jpeg": { magic: Buffer.from([0xff, 0xd8, 0xff]), inspect: inspectJpeg },
  "image/png": { magic: Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), inspect: inspectPng },
  "application/pdf": { magic: Buffer.from("%PDF-"), inspect: inspectPdf },
};

/**
 * Why a file is not what it is said to be. Each format is read from its first byte to its last, so
 * that nothing else can be in front or behind. Pixels are not decoded.
 */
export function inspect(
  content: Uint8Array,
  contentType: EvidenceContentType,
): EvidenceRejection | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { magic, inspect: inspectFormat } = formats[contentType];
  if (!bytes.subarray(0, magic.length).equals(magic)) return "other_type";
  if (isAlsoArchive(bytes) || (contentType !== "application/pdf" && isAlsoPdf(bytes))) return "malformed";
  return inspectFormat(bytes);
}

const archiveEnd = Buffer.from("PK\x05\x06", "latin1");
const archiveEndBytes = 22;

/** A ZIP archive, such as a JAR or an office document, is read from its end. */
function isAlsoArchive(bytes: Buffer): boolean {
  for (let at = bytes.lastIndexOf(archiveEnd); at >= 0; at = bytes.lastIndexOf(archiveEnd, at - 1)) {
    const isWhole = at + archiveEndBytes <= bytes.length;
    if (isWhole && at + archiveEndBytes + bytes.readUInt16LE(at + archiveEndBytes - 2) === bytes.length)
      return true;
    if (at === 0) break;
  }
  return false;
}

/** Readers of PDF look for it in the first kilobyte. */
function isAlsoPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, 1_029).includes("%PDF-");
}

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda];

/** Images from the first byte to the last: phones put further ones behind the first. */
function inspectJpeg(bytes: Buffer): EvidenceRejection | undefined {
  let at = readImage(bytes, 0);
  while (at !== undefined && at < bytes.length) {
    const isPadding = bytes.subarray(at).every((byte) => byte === 0);
    if (isPadding) return undefined;
    at = readImage(bytes, at);
  }
  return at === undefined ? "malformed" : undefined;
}

/** Where it ends, or undefined. */
function readImage(bytes: Buffer, start: number): number | undefined {
  if (bytes[start] !== 0xff || bytes[start + 1] !== startOfImage) return undefined;
  let at = start + 2;
  let [hasFrame, hasScan] = [false, false];
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) return hasScan ? at + 2 : undefined;
    const length = at + 3 < bytes.length ? bytes.readUInt16BE(at + 2) : 0;
    if (!hasLength(marker) || length < 2 || at + 2 + length > bytes.length) return undefined;
    if (isFrame(marker)) {
      if (length < 9 || bytes.readUInt16BE(at + 5) === 0 || bytes.readUInt16BE(at + 7) === 0)
        return undefined;
      hasFrame = true;
    }
    at += 2 + length;
    if (marker === startOfScan) {
      if (!hasFrame) return undefined;
      hasScan = true;
      at = endOfScan(bytes, at);
    }
  }
  return undefined;
}

/** Tables, application data and comments; not a restart, another start, or a reserved marker. */
function hasLength(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xfe && !(marker >= 0xd0 && marker <= endOfImage);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** At the next marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] ?? 0;
    if (next === 0xff) at -= 1;
    else if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

const signatureBytes = 8;
const headerBytes = 13;
/** A chunk's length, type and checksum. */
const frameBytes = 12;
const critical: ReadonlySet<string> = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
/** Bits of a sample, by colour type (PNG specification, table 11.1). */
const depths = [[1, 2, 4, 8, 16], [], [8, 16], [1, 2, 4, 8], [8, 16], [], [8, 16]];

/** Header first, each checksum right, the image's data in one row, and nothing after the end. */
function inspectPng(bytes: Buffer): EvidenceRejection | undefined {
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
