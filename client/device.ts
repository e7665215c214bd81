/**
 * Runs on the Cardholder's device: a browser, or anything else with WebCrypto. It has no
 * dependencies, and sends nothing; the page passes keys and JWEs on through the Program's own
 * server.
 */

/** A public key of P-256: of a device, or of `GET /vault/key`. */
export type PublicJwk = {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
};

export interface CardData {
  readonly cardNumber: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly cvv: string;
}

export interface RevealKey {
  readonly publicKey: PublicJwk;
  /**
   * Opens the answer's `jwe`, once.
   * @throws Error if it was opened before, has expired, or was not encrypted for this key
   */
  open(jwe: string): Promise<CardData>;
}

const curve = { name: "ECDH", namedCurve: "P-256" };
const encryption = "A256GCM";

/** A key for one reveal. Its private part cannot be exported, not even by the page. */
export async function createRevealKey(): Promise<RevealKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  let unused: Key | undefined = privateKey;
  return {
    publicKey: await exportPublicKey(publicKey),
    open: async (jwe) => {
      const key = unused;
      if (key === undefined) throw new Error("This key has opened a reveal before: create another one.");
      // At once: of two calls at the same moment, one opens.
      unused = undefined;
      try {
        return (await decrypt(jwe, key)) as CardData;
      } catch (error) {
        unused = key;
        throw error;
      }
    },
  };
}

/**
 * The `jwe` of `PUT /cards/{cardId}/pin`, for the key of `GET /vault/key`. With `cardId`, it sets
 * the PIN of that Card alone.
 */
export async function encryptPin(vaultKey: PublicJwk, pin: string, cardId?: string): Promise<string> {
  // A longer PIN has a shorter nonce, so that the JWE's length does not show the PIN's.
  const nonce = encode(crypto.getRandomValues(new Uint8Array(18))).slice(0, 26 - pin.length);
  return encrypt({ pin, nonce, cardId }, vaultKey);
}

async function decrypt(jwe: string, privateKey: Key): Promise<unknown> {
  const parts = jwe.split(".");
  const [protectedHeader = "", , iv = "", sealed = "", tag = ""] = parts;
  const { alg, enc, epk, exp } = JSON.parse(new TextDecoder().decode(decode(protectedHeader)));
  if (parts.length !== 5 || alg !== "ECDH-ES" || enc !== encryption)
    throw new Error("This is no JWE of a reveal.");
  if (typeof exp !== "number" || Date.now() >= exp * 1000)
    throw new Error("The reveal has expired: request another one.");
  const key = await agree(privateKey, epk, "decrypt");
  const algorithm = { name: "AES-GCM", iv: decode(iv), additionalData: ascii(protectedHeader) };
  const content = await crypto.subtle.decrypt(algorithm, key, join(decode(sealed), decode(tag)));
  return JSON.parse(new TextDecoder().decode(content));
}

async function encrypt(content: unknown, recipient: PublicJwk): Promise<string> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const epk = await exportPublicKey(publicKey);
  const header = encode(ascii(JSON.stringify({ alg: "ECDH-ES", enc: encryption, epk })));
  const key = await agree(privateKey, recipient, "encrypt");
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const algorithm = { name: "AES-GCM", iv, additionalData: ascii(header) };
  const plaintext = new TextEncoder().encode(JSON.stringify(content));
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plaintext));
  return [header, "", encode(iv), encode(sealed.slice(0, -16)), encode(sealed.slice(-16))].join(".");
}

/** RFC 7518, section 4.6: ECDH, then SHA-256 over the secret and what the key is for. */
async function agree(privateKey: Key, other: PublicJwk, use: "encrypt" | "decrypt"): Promise<Key> {
  const { kty, crv, x, y } = other;
  const publicKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, false, []);
  const secret = await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256);
  const info = join(uint32(encryption.length), ascii(encryption), uint32(0), uint32(0), uint32(256));
  const agreed = await crypto.subtle.digest("SHA-256", join(uint32(1), new Uint8Array(secret), info));
  return crypto.subtle.importKey("raw", agreed, "AES-GCM", false, [use]);
}

async function exportPublicKey(key: Key): Promise<PublicJwk> {
  const { x, y } = (await crypto.subtle.exportKey("jwk", key)) as PublicJwk;
  return { kty: "EC", crv: "P-256", x, y };
}

type Bytes = Uint8Array<ArrayBuffer>;
/** `CryptoKey`, which is a type of browsers. */
type Key = Parameters<typeof crypto.subtle.exportKey>[1];

function join(...parts: readonly Bytes[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function uint32(value: number): Bytes {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

function ascii(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function encode(bytes: Bytes): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): Bytes {
  return ascii(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
}
