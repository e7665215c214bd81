import { randomInt } from "node:crypto";
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK } from "jose";
import type { PublicJwk, VaultCard } from "../../shared/contract/vault.ts";
import { newId } from "../../shared/platform/id.ts";
import { vault } from "./given-vault.ts";

/** A Cardholder's device. `jose` is an implementation of JOSE that is not the platform's. */
export async function givenDevice() {
  const { publicKey, privateKey } = await generateKeyPair("ECDH-ES", { crv: "P-256", extractable: true });
  return {
    publicKey: (await exportJWK(publicKey)) as PublicJwk,
    open: async (jwe: string) => {
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey);
      return { header: protectedHeader, content: JSON.parse(new TextDecoder().decode(plaintext)) };
    },
  };
}

export async function encryptFor(
  jwk: PublicJwk,
  content: unknown,
  header: { alg: string; enc: string } = { alg: "ECDH-ES", enc: "A256GCM" },
): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(content)))
    .setProtectedHeader(header)
    .encrypt(await importJWK(jwk, header.alg));
}

export async function encryptForVault(content: unknown): Promise<string> {
  const { jwk } = await vault("public-key", {});
  return encryptFor(jwk, content);
}

export function givenVaultCard(card: Partial<VaultCard> = {}): VaultCard {
  return {
    programId: newId("program"),
    cardId: newId("card"),
    bin: "412345",
    lastFour: String(randomInt(10_000)).padStart(4, "0"),
    expiryMonth: 11,
    expiryYear: 2029,
    ...card,
  };
}

/** Reveals a Card to a new device. */
export async function revealTo(card: VaultCard): Promise<{ cardNumber: string; cvv: string }> {
  const device = await givenDevice();
  const answer = await vault("reveal", { ...card, publicKey: device.publicKey });
  if (answer.outcome !== "revealed") throw new Error(answer.outcome);
  return (await device.open(answer.jwe)).content;
}
