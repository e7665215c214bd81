import type { EvidenceContentType, EvidenceRejection } from "../../shared/contract/evidence.ts";
import { inspectJpeg } from "./inspect-jpeg.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { inspectPng } from "./inspect-png.ts";

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
