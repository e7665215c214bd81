import { createCipheriv, createDecipheriv, createECDH, createHash } from "node:crypto";
import * as z from "zod";

/**
 * Apple's encryption scheme ECC_V2: ECDH on P-256, the key derivation of ANSI X9.63 with SHA-256,
 * AES-256-GCM. Each payload has a key of its own, so the initialization vector is zeros.
 */

const curve = "prime256v1";
const algorithm = "aes-256-gcm";
const tagBytes = 16;
const zeroVector = Buffer.alloc(16);

/** What Apple's reference of `PKAddPaymentPassRequest` names as the keys of the encrypted JSON. */
export const PassData = z.object({
  primaryAccountNumber: z.string(),
  /** MM/YY. */
  expiration: z.string(),
  name: z.string(),
  nonce: z.string(),
  nonceSignature: z.string(),
});
export type PassData = z.output<typeof PassData>;

/** Both parts are in base64. @param recipient a point of P-256, not compressed */
export function sealPassData(recipient: Uint8Array, content: PassData) {
  const ephemeral = createECDH(curve);
  const publicKey = ephemeral.generateKeys();
  const cipher = createCipheriv(
    algorithm,
    passKey(ephemeral.computeSecret(recipient), publicKey),
    zeroVector,
  );
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()]);
  return { encryptedPassData: sealed.toString("base64"), ephemeralPublicKey: publicKey.toString("base64") };
}

/** The content, or undefined if it does not open with this private key. */
export function openPassData(
  privateKey: Uint8Array,
  given: { readonly encryptedPassData: string; readonly ephemeralPublicKey: string },
): PassData | undefined {
  const [data, publicKey] = [given.encryptedPassData, given.ephemeralPublicKey].map((part) =>
    Buffer.from(part, "base64"),
  ) as [Buffer, Buffer];
  try {
    const wallet = createECDH(curve);
    wallet.setPrivateKey(privateKey);
    const key = passKey(wallet.computeSecret(publicKey), publicKey);
    const decipher = createDecipheriv(algorithm, key, zeroVector, { authTagLength: tagBytes });
    decipher.setAuthTag(data.subarray(-tagBytes));
    const opened = Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]);
    return PassData.parse(JSON.parse(opened.toString()));
  } catch {
    return undefined;
  }
}

const algorithmId = Buffer.from("\x0did-aes256-GCM");
const partyU = Buffer.from("Apple");

/** The other party is named by its key of this payload. */
function passKey(secret: Uint8Array, ephemeralPublicKey: Uint8Array): Buffer {
  return deriveKey(secret, Buffer.concat([algorithmId, partyU, ephemeralPublicKey]), 32);
}

/** The key derivation function of ANSI X9.63 (SEC 1, section 3.6.1) with SHA-256. */
export function deriveKey(secret: Uint8Array, sharedInfo: Uint8Array, bytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(index + 1);
    return createHash("sha256").update(secret).update(counter).update(sharedInfo).digest();
  });
  return Buffer.concat(blocks).subarray(0, bytes);
}
