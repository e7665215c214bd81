import { createCipheriv, createDecipheriv } from "node:crypto";
import {
  DecryptCommand,
  DeriveSharedSecretCommand,
  GenerateDataKeyCommand,
  GenerateMacCommand,
  GetPublicKeyCommand,
  KMSClient,
} from "@aws-sdk/client-kms";
import type { Envelope } from "../../shared/contract/vault.ts";
import { environment } from "../../shared/platform/environment.ts";
import { randomToken } from "../../shared/platform/id.ts";
import { requestLimits } from "../../shared/platform/request-limits.ts";

/** Its configuration also sends the calls of AWS Payment Cryptography. */
export const kms = new KMSClient({
  maxAttempts: 3,
  requestHandler: requestLimits(2_000),
});

/** What a data key is bound to: it opens nothing else. */
type Binding = Readonly<Record<string, string>>;

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const bytes = (value: string) => Buffer.from(value, "base64url");

/** Encrypts with a new data key, which only KMS can unwrap again (PCI DSS 3.5.1). */
export async function seal(plaintext: Uint8Array, binding: Binding): Promise<Envelope> {
  const key = environment.vaultKeys.number;
  const { Plaintext, CiphertextBlob } = await kms.send(
    new GenerateDataKeyCommand({
      KeyId: key,
      KeySpec: "AES_256",
      EncryptionContext: binding,
    }),
  );
  const iv = bytes(randomToken(12));
  const cipher = createCipheriv("aes-256-gcm", present(Plaintext), iv);
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    key,
    wrappedKey: text(present(CiphertextBlob)),
    iv: text(iv),
    tag: text(cipher.getAuthTag()),
    sealed: text(sealed),
  };
}

/** @throws Error if the envelope, or what it is bound to, was changed */
export async function open(
  { key, wrappedKey, iv, tag, sealed }: Envelope,
  binding: Binding,
): Promise<Buffer> {
  const { Plaintext } = await kms.send(
    new DecryptCommand({
      KeyId: key,
      CiphertextBlob: bytes(wrappedKey),
      EncryptionContext: binding,
    }),
  );
  const decipher = createDecipheriv("aes-256-gcm", present(Plaintext), bytes(iv), { authTagLength: 16 });
  decipher.setAuthTag(bytes(tag));
  return Buffer.concat([decipher.update(bytes(sealed)), decipher.final()]);
}

export function currentKey(purpose: "numberIndex" | "cvv" | "cavv" | "accountUpdate"): string {
  return environment.vaultKeys[purpose];
}

/** A keyed hash whose key is in KMS alone (PCI DSS 3.5.1.1). */
export function mac(key: string, ...parts: readonly string[]): Promise<Buffer> {
  return macText(key, JSON.stringify(parts));
}

/** Over the text alone, as others would compute it. */
export async function macText(key: string, message: string): Promise<Buffer> {
  const { Mac } = await kms.send(
    new GenerateMacCommand({
      KeyId: key,
      MacAlgorithm: "HMAC_SHA_256",
      Message: Buffer.from(message),
    }),
  );
  return Buffer.from(present(Mac));
}

/** With the private key of the vault; takes and returns SubjectPublicKeyInfo and a raw secret. */
export async function deriveSecret(publicKey: Uint8Array): Promise<Buffer> {
  const { SharedSecret } = await kms.send(
    new DeriveSharedSecretCommand({
      KeyId: environment.vaultKeys.device,
      KeyAgreementAlgorithm: "ECDH",
      PublicKey: publicKey,
    }),
  );
  return Buffer.from(present(SharedSecret));
}

/** SubjectPublicKeyInfo in DER. */
export async function readDevicePublicKey(): Promise<Buffer> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: environment.vaultKeys.device }));
  return Buffer.from(present(PublicKey));
}

function present(given: Uint8Array | undefined): Uint8Array {
  if (given === undefined) throw new Error("The answer of KMS has no bytes.");
  return given;
}
