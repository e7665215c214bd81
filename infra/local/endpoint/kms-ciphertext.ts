import { createCipheriv, createDecipheriv } from "node:crypto";
import { randomBytes } from "../randomness.ts";

/** What the local KMS gives out for a plaintext: bound to its key and its encryption context. */

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const authTagLength = 16;

type Context = Readonly<Record<string, string>>;

export function seal(secret: Buffer, context: Context, plaintext: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, secret, iv, { authTagLength }).setAAD(toBytes(context));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undefined if the ciphertext, its key or its context is another. */
export function open(secret: Buffer, context: Context, blob: Buffer): Buffer | undefined {
  const sealedAt = ivBytes + authTagLength;
  try {
    const decipher = createDecipheriv(algorithm, secret, blob.subarray(0, ivBytes), { authTagLength })
      .setAAD(toBytes(context))
      .setAuthTag(blob.subarray(ivBytes, sealedAt));
    return Buffer.concat([decipher.update(blob.subarray(sealedAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function toBytes(context: Context): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).toSorted()));
}
