import { secp256k1 } from "@noble/curves/secp256k1.js";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bech32, bech32m, createBase58check, hex } from "@scure/base";
import { HDKey } from "@scure/bip32";
import type { ExtendedPublicKeys } from "../contract/account-programs.ts";
import type { CryptoAddress } from "../contract/cards.ts";
import { BoundedMap } from "../platform/bounded-map.ts";

const base58check = createBase58check(sha256);

/** How each chain writes the address of a compressed public key. */
const chains = {
  bitcoin: payToWitnessPublicKeyHash,
  ethereum: checksummedHex,
  tron: prefixedBase58,
} as const satisfies Record<keyof ExtendedPublicKeys, (publicKey: Uint8Array) => string>;

/**
 * BIP-32 public derivation of `0/index` (the external chain) below each account key. No private key
 * is needed, and none is in the platform.
 */
export function cryptoAddresses(keys: ExtendedPublicKeys, index: number): CryptoAddress[] {
  return (Object.keys(chains) as (keyof typeof chains)[]).map((chain) => ({
    chain,
    address: chains[chain](publicKeyAt(keys[chain], index)),
    addressTag: null,
  }));
}

function publicKeyAt(extendedPublicKey: string, index: number): Uint8Array {
  const { publicKey } = externalChain(extendedPublicKey).deriveChild(index);
  if (!publicKey) throw new Error("The extended key has no public key.");
  return publicKey;
}

const externalChains = new BoundedMap<string, HDKey>(300);

/**
 * The parent of all addresses of an account key, cached: deriving it costs as much as an address.
 */
function externalChain(extendedPublicKey: string): HDKey {
  return externalChains.getOrMake(extendedPublicKey, () =>
    HDKey.fromExtendedKey(extendedPublicKey).deriveChild(0),
  );
}

/** BIP-84 and BIP-173: version 0 and the key's hash, in bech32. */
function payToWitnessPublicKeyHash(publicKey: Uint8Array): string {
  return bech32.encode("bc", [0, ...bech32.toWords(ripemd160(sha256(publicKey)))]);
}

/** EIP-55: hex whose letters are upper case where the hash of the address says so. */
function checksummedHex(publicKey: Uint8Array): string {
  return withCapitals(hex.encode(accountHash(publicKey)));
}

function withCapitals(lowerCase: string): string {
  const hash = hex.encode(keccak_256(new TextEncoder().encode(lowerCase)));
  const digits = [...lowerCase].map((digit, at) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join("")}`;
}

/** Tron's main network: the byte 0x41 and Ethereum's hash, in base58 with a checksum. */
function prefixedBase58(publicKey: Uint8Array): string {
  return base58check.encode(Uint8Array.of(0x41, ...accountHash(publicKey)));
}

/** The last 20 bytes of the hash of the uncompressed key without its prefix byte. */
function accountHash(publicKey: Uint8Array): Uint8Array {
  return keccak_256(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1)).subarray(-20);
}

/** Whether it is an address of the chain's main network, with a right checksum where it has one. */
export function isAddress(chain: CryptoAddress["chain"], written: string): boolean {
  try {
    return rules[chain](written);
  } catch {
    return false;
  }
}

const rules = {
  bitcoin: (written) => (/^bc1/i.test(written) ? isWitnessProgram(written) : isBase58(written, [0x00, 0x05])),
  ethereum: isHexAddress,
  tron: (written) => isBase58(written, [0x41]),
} as const satisfies Record<CryptoAddress["chain"], (written: string) => boolean>;

/** BIP-173, BIP-350: version 0 is in bech32, later ones in bech32m. Mixed case is an error. */
function isWitnessProgram(written: string): boolean {
  const isFirst = /^bc1q/i.test(written);
  const { prefix, words } = (isFirst ? bech32 : bech32m).decode(written as `bc1${string}`);
  const [version = 17] = words;
  const { length } = bech32.fromWords(words.slice(1));
  if (prefix !== "bc" || version > 16) return false;
  return isFirst ? length === 20 || length === 32 : length >= 2 && length <= 40;
}

/** Without letters of both cases it has no checksum. */
function isHexAddress(written: string): boolean {
  const digits = /^0x([0-9A-Fa-f]{40})$/.exec(written)?.[1];
  if (digits === undefined) return false;
  const lowerCase = digits.toLowerCase();
  return digits === lowerCase || digits === digits.toUpperCase() || written === withCapitals(lowerCase);
}

function isBase58(written: string, versions: readonly number[]): boolean {
  const [version = -1, ...payload] = base58check.decode(written);
  return payload.length === 20 && versions.includes(version);
}
