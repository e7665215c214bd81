import crypto from "node:crypto";

const { createHash } = crypto;

/** Bytes that the same seed repeats. Not for secrets outside of this machine. */
export function seededBytes(seed: string): (count: number) => Buffer {
  let drawn = Buffer.alloc(0);
  let blocks = 0;
  return (count) => {
    while (drawn.length < count) {
      drawn = Buffer.concat([drawn, createHash("sha256").update(`${seed}/${blocks}`).digest()]);
      blocks += 1;
    }
    const taken = Buffer.from(drawn.subarray(0, count));
    drawn = drawn.subarray(count);
    return taken;
  };
}
