import type { EvidenceRejection } from "../../shared/contract/evidence.ts";

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda];

/** Images from the first byte to the last: phones put further ones behind the first. */
export function inspectJpeg(bytes: Buffer): EvidenceRejection | undefined {
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
