import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base58, bech32, createBase58check, hex } from "@scure/base";
import { HDKey } from "@scure/bip32";
import { describe, expect, test } from "vitest";
import { cryptoAddresses, isAddress } from "../../../shared/cards/crypto-addresses.ts";

/** BIP-39's first test vector, published everywhere. */
const root = HDKey.fromMasterSeed(
  hex.decode(
    "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1" +
      "9a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4",
  ),
);
const keys = {
  bitcoin: root.derive("m/84'/0'/0'").publicExtendedKey,
  ethereum: root.derive("m/44'/60'/0'").publicExtendedKey,
  tron: root.derive("m/44'/195'/0'").publicExtendedKey,
};

function addressesAt(index: number): Record<string, string> {
  return Object.fromEntries(cryptoAddresses(keys, index).map(({ chain, address }) => [chain, address]));
}

describe("deposit addresses", () => {
  test("the account key is the one that BIP-84 publishes for its test vector", () => {
    const base58check = createBase58check(sha256);
    const zpub =
      "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
    const [published, ours] = [base58check.decode(zpub), base58check.decode(keys.bitcoin)];
    expect(hex.encode(ours.subarray(4))).toBe(hex.encode(published.subarray(4)));
  });

  test("bitcoin addresses are BIP-84's published ones", () => {
    expect(addressesAt(0).bitcoin).toBe("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    expect(addressesAt(1).bitcoin).toBe("bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
  });

  test("ethereum addresses are the vector's, with EIP-55 capitals", () => {
    expect(addressesAt(0).ethereum).toBe("0x9858EfFD232B4033E47d90003D41EC34EcaEda94");
    expect(addressesAt(1).ethereum).toBe("0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0");
  });

  test("tron addresses are the vector's", () => {
    expect(addressesAt(0).tron).toBe("TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH");
    expect(addressesAt(1).tron).toBe("TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK");
  });

  test("the owner of the private keys reaches the very same public keys", () => {
    const index = 54_321;
    const { publicKey } = root.derive(`m/84'/0'/0'/0/${index}`);
    const { words } = bech32.decode((addressesAt(index).bitcoin ?? "") as `bc1${string}`);
    const program = bech32.fromWords(words.slice(1));
    expect(hex.encode(program)).toBe(hex.encode(ripemd160(sha256(publicKey ?? new Uint8Array()))));
  });

  test("neither indexes nor account keys share an address", () => {
    const addresses = Array.from({ length: 50 }, (_, index) => Object.values(addressesAt(index))).flat();
    expect(new Set(addresses).size).toBe(150);
    const other = { ...keys, tron: keys.ethereum };
    expect(cryptoAddresses(other, 0)[2]?.address).not.toBe(addressesAt(0).tron);
  });

  test("a tron address is 0x41 and the ethereum address of the same key", () => {
    const same = { ...keys, tron: keys.ethereum };
    const [, ethereum, tron] = cryptoAddresses(same, 7).map(({ address }) => address);
    const payload = base58.decode(tron ?? "").subarray(0, 21);
    expect(hex.encode(payload)).toBe(`41${(ethereum ?? "").slice(2).toLowerCase()}`);
  });
});

describe("an address", () => {
  const [bitcoin, ethereum, tron] = cryptoAddresses(keys, 0).map(({ address }) => address) as [
    string,
    string,
    string,
  ];

  // Published in BIP-173, BIP-350 and EIP-55.
  test.each([
    ["bitcoin", bitcoin],
    ["bitcoin", bitcoin.toUpperCase()],
    ["bitcoin", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"],
    ["bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"],
    ["bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["ethereum", ethereum],
    ["ethereum", ethereum.toLowerCase()],
    ["ethereum", `0x${ethereum.slice(2).toUpperCase()}`],
    ["ethereum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["tron", tron],
  ] as const)("of %s is %s", (chain, address) => {
    expect(isAddress(chain, address)).toBe(true);
  });

  test.each([
    ["bitcoin", `B${bitcoin.slice(1)}`],
    ["bitcoin", `${bitcoin.slice(0, -1)}q`],
    // The checksum of the other version.
    ["bitcoin", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd"],
    ["bitcoin", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P"],
    ["bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"],
    ["bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"],
    ["bitcoin", tron],
    ["ethereum", ethereum.replace("E", "e")],
    ["ethereum", ethereum.slice(2)],
    ["ethereum", `${ethereum}0`],
    ["tron", tron.toLowerCase()],
    ["tron", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
    ["tron", ethereum],
  ] as const)("of %s is not %s", (chain, address) => {
    expect(isAddress(chain, address)).toBe(false);
  });
});
