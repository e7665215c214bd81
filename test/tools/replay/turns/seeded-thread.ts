import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { toInteger, toUuid } from "../../../../infra/local/randomness.ts";
import { seededBytes } from "./seeded-bytes.ts";

/**
 * Replaces this thread's randomness. The returned function starts again from another seed. Call it
 * before importing code that draws.
 */
export function seedThread(seed: string): (next: string) => void {
  let bytes = seededBytes(seed);
  // The SDK draws these: a repeated call must not change what the platform draws.
  let others = seededBytes(`${seed}/others`);
  const fill = <Target extends NodeJS.ArrayBufferView>(target: Target, offset = 0, size?: number): Target => {
    const all = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    all.set(bytes(size ?? all.length - offset), offset);
    return target;
  };
  const randomInt = (first: number, second?: number | Done<number>, done?: Done<number>) => {
    const [from, end] = typeof second === "number" ? [first, second] : [0, first];
    return answer(from + toInteger(bytes(6), end - from), typeof second === "function" ? second : done);
  };
  const randomUUID = () => toUuid(others(16));
  Object.assign(crypto, {
    randomBytes: (count: number, done?: Done<Buffer>) => answer(bytes(count), done),
    randomFillSync: fill,
    randomInt,
    randomUUID,
  });
  Object.defineProperties(globalThis.crypto, {
    getRandomValues: { value: fill },
    randomUUID: { value: randomUUID },
  });
  Math.random = () => others(6).readUIntBE(0, 6) / 2 ** 48;
  syncBuiltinESMExports();
  return (next) => {
    bytes = seededBytes(next);
    others = seededBytes(`${next}/others`);
  };
}

type Done<Value> = (error: null, value: Value) => void;

function answer<Value>(value: Value, done: Done<Value> | undefined): Value | undefined {
  if (done === undefined) return value;
  process.nextTick(done, null, value);
  return undefined;
}
