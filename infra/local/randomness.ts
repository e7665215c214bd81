import crypto from "node:crypto";
import { seededBytes } from "./turns/seeded-bytes.ts";

type Bytes = (count: number) => Buffer;

let bytes: Bytes = crypto.randomBytes;
let isSeeded = false;

/** Makes what the emulation itself draws repeatable, such as request ids. Returns the way back. */
export function beginSeededDraws(seed: string): () => void {
  if (isSeeded) throw new Error("A process can run one recording or replay at a time");
  isSeeded = true;
  drawFromSeed(seed);
  return () => {
    isSeeded = false;
    bytes = crypto.randomBytes;
  };
}

export function drawFromSeed(seed: string): void {
  bytes = seededBytes(seed);
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

/** Of six random bytes: the bias is below 2^-16 for any 32-bit `end`. */
export function toInteger(drawn: Buffer, end: number): number {
  return drawn.readUIntBE(0, 6) % end;
}
