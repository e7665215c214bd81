import { createCipheriv, createDecipheriv, createECDH, createHash, createPublicKey } from "node:crypto";
import * as z from "zod";
import { jweAlgorithms, PublicJwk, VaultJwk } from "../../shared/contract/vault.ts";
import { randomToken } from "../../shared/platform/id.ts";
import { parseJson } from "../../shared/platform/parse-json.ts";

/**
 * Compact JWE (RFC 7516) with ECDH-ES on P-256 and A256GCM, the one form that the vault uses. A
 * library would need the private key, which is in KMS.
 */

const { alg, enc } = jweAlgorithms;
const curve = "prime256v1";

/** SubjectPublicKeyInfo in DER, or undefined for what is not a point of the curve. */
export function toSpki({ kty, crv, x, y }: PublicJwk): Buffer | undefined {
  try {
    return createPublicKey({ key: { kty, crv, x, y }, format: "jwk" }).export({
      type: "spki",
      format: "der",
    });
  } catch {
    return undefined;
  }
}

export function toJwk(spki: Buffer): VaultJwk {
  const jwk = createPublicKey({ key: spki, type: "spki", format: "der" }).export({ format: "jwk" });
  return VaultJwk.parse({ ...jwk, alg });
}

/** RFC 7638. Of the bytes, since one point has several spellings in base64url. */
export function thumbprint({ x, y }: PublicJwk): string {
  const canonical = { crv: "P-256", kty: "EC", x: respell(x), y: respell(y) };
  return createHash("sha256").update(JSON.stringify(canonical)).digest("base64url");
}

function respell(coordinate: string): string {
  return Buffer.from(coordinate, "base64url").toString("base64url");
}

/**
 * Only who has the key reads it, which must be a point of the curve. `claims` are added to the
 * protected header.
 */
export function encryptFor(recipient: PublicJwk, content: object, claims: object = {}): string {
  const ephemeral = drawKey();
  const point = [recipient.x, recipient.y].map((coordinate) => Buffer.from(coordinate, "base64url"));
  const secret = ephemeral.computeSecret(Buffer.concat([Buffer.of(4), ...point]));
  const own = ephemeral.getPublicKey();
  const [x, y] = [own.subarray(1, 33), own.subarray(33)].map((part) => part.toString("base64url"));
  const epk = { kty: "EC", crv: "P-256", x, y };
  const header = encode(JSON.stringify({ alg, enc, epk, ...claims }));
  const iv = Buffer.from(randomToken(12), "base64url");
  const cipher = createCipheriv("aes-256-gcm", agreedKey(secret), iv).setAAD(Buffer.from(header));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
  return [header, "", encode(iv), encode(sealed), encode(cipher.getAuthTag())].join(".");
}

/** A one-time key. A draw outside the curve's order, one in 2^32, is repeated. */
function drawKey() {
  const ephemeral = createECDH(curve);
  for (;;) {
    try {
      ephemeral.setPrivateKey(Buffer.from(randomToken(32), "base64url"));
      return ephemeral;
    } catch {
      // It is no private key of the curve.
    }
  }
}

const base64url = z.string().regex(/^[\w-]*$/);
/** An unknown critical extension, or compression, must not be ignored. */
const Header = z.object({
  alg: z.literal(alg),
  enc: z.literal(enc),
  epk: PublicJwk,
  apu: base64url.optional(),
  apv: base64url.optional(),
  crit: z.undefined().optional(),
  zip: z.undefined().optional(),
});

/** The content, or undefined if it does not open. `derive` has the private key. */
export async function decrypt(
  jwe: string,
  derive: (publicKey: Uint8Array) => Promise<Buffer>,
): Promise<unknown> {
  const [protectedHeader = "", , ...parts] = jwe.split(".");
  const [iv, sealed, tag] = parts.map((part) => Buffer.from(part, "base64url"));
  const header = Header.safeParse(parseJson(Buffer.from(protectedHeader, "base64url").toString()));
  const sender = header.success ? toSpki(header.data.epk) : undefined;
  if (!header.success || !sender || !sealed || iv?.length !== 12 || tag?.length !== 16) return undefined;
  const key = agreedKey(await derive(sender), header.data);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(protectedHeader)).setAuthTag(tag);
  try {
    return parseJson(Buffer.concat([decipher.update(sealed), decipher.final()]).toString());
  } catch {
    return undefined;
  }
}

/** The Concat KDF of NIST SP 800-56A as RFC 7518 section 4.6.2 uses it, for 256 bits. */
function agreedKey(secret: Buffer, { apu = "", apv = "" }: { apu?: string; apv?: string } = {}): Buffer {
  const parts = [
    uint32(1),
    secret,
    ...[Buffer.from(enc), Buffer.from(apu, "base64url"), Buffer.from(apv, "base64url")].flatMap((part) => [
      uint32(part.length),
      part,
    ]),
    uint32(256),
  ];
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function encode(value: Uint8Array | string): string {
  return Buffer.from(value).toString("base64url");
}
