import { createHash } from "node:crypto";
import { HDKey } from "@scure/bip32";
import * as z from "zod";
import { ExtendedPublicKeys } from "../../contract/account-programs.ts";
import type { Fault } from "../../contract/errors.ts";
import { environment } from "../../platform/environment.ts";
import { any, isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

const chains = Object.keys(ExtendedPublicKeys.shape) as (keyof ExtendedPublicKeys)[];

/**
 * Which keys are unfit, as faults below `path`: a slip in one of them would show only when a Card
 * is issued.
 */
export function unfitKeys(keys: ExtendedPublicKeys, path: string): Fault[] {
  return chains
    .filter((chain) => !isFit(keys[chain]))
    .map((chain) => ({
      path: `${path}.${chain}`,
      code: "invalid_key",
      message: "must be an extended public key (BIP-32) whose checksum is right",
    }));
}

/** Decoding takes the square of the length: what is too long to be a key is not looked at. */
const maximumKeyLength = 120;

function isFit(key: string): boolean {
  try {
    return key.length <= maximumKeyLength && HDKey.fromExtendedKey(key).deriveChild(0).publicKey !== null;
  } catch {
    return false;
  }
}

/**
 * Keys below the environment's, for a Program without its own: two steps of 31 bits from its id, so
 * that no two Programs share one. Undefined if the environment has none.
 */
export function custodyKeys(programId: string): ExtendedPublicKeys | undefined {
  if (environment.custodyKeys === undefined) return undefined;
  const parents = ExtendedPublicKeys.parse(environment.custodyKeys);
  const digest = createHash("sha256").update(programId).digest();
  const [first, second] = [digest.readUInt32BE(0) >>> 1, digest.readUInt32BE(4) >>> 1];
  const below = (key: string) =>
    HDKey.fromExtendedKey(key).deriveChild(first).deriveChild(second).publicExtendedKey;
  return {
    bitcoin: below(parents.bitcoin),
    ethereum: below(parents.ethereum),
    tron: below(parents.tron),
  };
}

/**
 * Claims each key permanently: two Programs with one key would have the same deposit addresses.
 * Compares what addresses derive from, not the stated path. `claimName` names the conditions.
 */
export function claimKeys(programId: string, keys: ExtendedPublicKeys): WriteAction[] {
  return chains.map((chain) => ({
    ...claims
      .at(chain, toFingerprint(keys[chain]))
      .put({ programId }, any<{ programId: string }>(isNew, { programId })),
    name: claimName(chain),
  }));
}

const claims = defineEntity({
  name: "extended public key",
  table: "accounts",
  schema: z.object({ programId: z.string() }),
  key: (chain: string, fingerprint: string) => ({
    pk: `DERIVATION#${chain}#${fingerprint}`,
    sk: "DERIVATION",
  }),
});

const claimName = (chain: keyof ExtendedPublicKeys) => `extended public key of ${chain}`;

/**
 * The keys that are another Program's, by the failed conditions of a transaction, as faults below
 * `path`.
 */
export function takenKeys(failedConditions: ReadonlyMap<string, unknown>, path: string): Fault[] {
  return chains
    .filter((chain) => failedConditions.has(claimName(chain)))
    .map((chain) => ({
      path: `${path}.${chain}`,
      code: "key_in_use",
      message: "must not be the key of another Program",
    }));
}

function toFingerprint(key: string): string {
  const { publicKey, chainCode } = HDKey.fromExtendedKey(key);
  if (!publicKey || !chainCode) throw new Error("The extended key has no public key.");
  return createHash("sha256").update(publicKey).update(chainCode).digest("hex");
}
