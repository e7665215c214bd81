import crypto from "node:crypto";

type Bytes = (count: number) => Buffer;

let bytes: Bytes = crypto.randomBytes;

/** What the emulation itself draws, such as request ids, comes from there. */
export function drawFrom(source: Bytes = crypto.randomBytes): void {
  bytes = source;
}

export function randomBytes(count: number): Buffer {
  return bytes(count);
}

export function randomUUID(): string {
  return toUuid(bytes(16));
}

/** From 0 up to, not including, `end`. */
export function randomInt(end: number): number {
  return toInteger(bytes(6), end);
}

/** Version 4. */
export function toUuid(drawn: Buffer): string {
  drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x40;
  drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80;
  return drawn.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Six random bytes are enough: the bias is below 2^-16 for any 32-bit `end`. */
export function toInteger(drawn: Buffer, end: number): number {
  return drawn.readUIntBE(0, 6) % end;
}
