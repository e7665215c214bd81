import type { EntryMode } from "../../contract/card-network.ts";
import type { EntryCapability, StoredCredential, ThreeDSResult } from "../../contract/verification.ts";
import type { Values } from "./fields.ts";

/** How a network writes characters, digits and lengths. Bitmaps and `b` are raw bytes in each. */
export interface Encoding {
  readonly text: "ascii" | "ebcdic";
  /** As characters, or two to a byte. An odd number of digits begins with a zero. */
  readonly digits: "characters" | "bcd";
  /** How lengths are written: two or three digits, or one byte for lengths up to 255. */
  readonly lengths: "digits" | "byte";
}

/** Where nothing else is said. */
export const plain = { text: "ascii", digits: "characters", lengths: "digits" } as const satisfies Encoding;

/** How a network writes, and lays out the data elements that each has of its own. */
export interface Dialect extends Encoding {
  readonly readOwn: (values: Values, encoding: Encoding) => OwnLayout;
}

/** What a network tells in data elements of its own layout. */
export interface OwnLayout {
  readAcceptor(location: string): CardAcceptor;
  /** DE22, first two digits. */
  readonly entryModes: Readonly<Record<string, EntryMode>>;
  /** How the Cardholder was there, where it matters. */
  readonly presence: "recurring" | "online" | undefined;
  readonly supportsPartial: boolean;
  /** The security code. */
  readonly cvv: string | undefined;
  /** In base64. */
  readonly cavv: string | undefined;
  readonly use: SaidOfUse;
}

export interface CardAcceptor {
  readonly name: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2, blank where none was sent, or else what was sent instead. */
  readonly country: string;
}

/** What is said of card, user and terminal. */
interface SaidOfUse {
  readonly entryCapability?: EntryCapability | undefined;
  readonly threeDS?: ThreeDSResult | undefined;
  readonly storedCredential?: StoredCredential | undefined;
}

type Places = readonly [from: number, to: number];

/** DE43 by its places. */
export function toAcceptor(...places: readonly [name: Places, city: Places, country: Places]) {
  return (location: string): CardAcceptor => {
    const [name = "", city = "", code = ""] = places.map(([from, to]) => location.slice(from, to));
    return { name, city, country: code.trim() };
  };
}

export const commonModes = {
  "01": "keyed",
  "02": "magstripe",
  "05": "chip",
  "07": "contactless",
  "10": "ecommerce",
  "90": "magstripe",
  "91": "contactless",
  "95": "chip",
} as const satisfies Record<string, EntryMode>;

/** Whether a merchant without a terminal is a shop on the Internet, its presence tells. */
export function toCapability(
  capabilities: Readonly<Record<string, EntryCapability>>,
  code: string | undefined,
  isOnline: boolean,
): EntryCapability | undefined {
  const known = capabilities[code ?? ""];
  if (known) return known;
  if (isOnline) return "ecommerce";
  return code === undefined ? undefined : "unknown";
}

/** Code page 37: the Latin-1 character of each byte. Every byte has one. */
const latin1OfEbcdic = Buffer.from(
  "000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f" +
    "80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a" +
    "20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac" +
    "2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22" +
    "d8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4" +
    "b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7" +
    "7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff" +
    "5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f",
  "hex",
);
const ebcdicOfLatin1 = Buffer.alloc(256);
for (const [byte, latin1] of latin1OfEbcdic.entries()) ebcdicOfLatin1[latin1] = byte;

export function readText(bytes: Uint8Array, { text }: Encoding): string {
  return toBuffer(text === "ascii" ? bytes : translate(bytes, latin1OfEbcdic)).toString("latin1");
}

/** The same bytes. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function writeText(value: string, { text }: Encoding): Uint8Array {
  const latin1 = Buffer.from(value, "latin1");
  return text === "ascii" ? latin1 : translate(latin1, ebcdicOfLatin1);
}

/** Several times as fast as `map`. */
function translate(bytes: Uint8Array, table: Uint8Array): Uint8Array {
  const translated = Buffer.allocUnsafe(bytes.length);
  for (let index = 0; index < bytes.length; index += 1) translated[index] = table[bytes[index] ?? 0] ?? 0;
  return translated;
}
