import { createPublicKey, type KeyObject } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import * as z from "zod";
import { now } from "../../../shared/platform/clock.ts";

/** Visa's form of a JWE: its members `kid` and `iat`, RSA-OAEP-256 and A256GCM. */
const [alg, enc] = ["RSA-OAEP-256", "A256GCM"];

/** What Visa publishes of the card that an issuer pushes, and the platform's secret. */
export const OpaqueCard = z.object({
  accountNumber: z.string(),
  name: z.string(),
  expirationDate: z.object({ month: z.string(), year: z.string() }),
  provider: z.object({
    intent: z.literal("PUSH_PROV_MOBILE"),
    clientWalletAccountID: z.string(),
    clientDeviceID: z.string(),
  }),
  /** The wallet's network passes it on with its request for a token. */
  activationData: z.string(),
});
export type OpaqueCard = z.output<typeof OpaqueCard>;

interface Recipient {
  readonly keyId: string;
  /** PEM. */
  readonly publicKey: string;
}

export function sealOpaqueCard({ keyId, publicKey }: Recipient, content: OpaqueCard): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg, enc, kid: keyId, typ: "JOSE", iat: String(now().getTime()) })
    .encrypt(createPublicKey(publicKey));
}

/** The content, or undefined if it does not open with this private key. */
export async function openOpaqueCard(privateKey: KeyObject, jwe: string): Promise<OpaqueCard | undefined> {
  const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
  try {
    const { plaintext } = await compactDecrypt(jwe, privateKey, options);
    return OpaqueCard.parse(JSON.parse(Buffer.from(plaintext).toString()));
  } catch {
    return undefined;
  }
}
