import { createHash } from "node:crypto";
import { createBase58check } from "@scure/base";
import type { ExtendedPublicKeys } from "../../shared/contract/operator.ts";
import { CommandRefused } from "./command.ts";

const base58check = createBase58check((bytes: Uint8Array) => createHash("sha256").update(bytes).digest());
/** BIP-32: version, depth, parent, child number, chain code, compressed key. */
const serializedLength = 78;

/**
 * A slip in one of these keys would show only when a Card is issued, so their checksums are checked first.
 *
 * @throws CommandRefused naming the chain.
 */
export function requireExtendedPublicKeys(keys: ExtendedPublicKeys): void {
  for (const [chain, key] of Object.entries(keys)) {
    if (!isWhole(key))
      throw new CommandRefused(`settings.extendedPublicKeys.${chain}: its checksum is wrong`);
  }
}

function isWhole(key: string): boolean {
  try {
    return base58check.decode(key).length === serializedLength;
  } catch {
    return false;
  }
}
