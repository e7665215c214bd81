import * as z from "zod";
import type { ExtendedPublicKeys } from "../../contract/account-programs.ts";
import type { CryptoAddress } from "../../contract/cards.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";

const addressIndexes = defineEntity({
  name: "address index",
  table: "issuing",
  schema: z.object({ taken: z.int() }),
  key: issuingKey.addressIndex,
});

export interface IssuedAddresses {
  readonly cryptoAddresses: CryptoAddress[];
  readonly addressIndex: number;
}

/**
 * Addresses unique within the Program. Imports the curves here, while the index is read: most invocations
 * need none, and should not wait for them at a cold start.
 */
export async function issueAddresses(programId: string, keys: ExtendedPublicKeys): Promise<IssuedAddresses> {
  const [addressIndex, { cryptoAddresses }] = await Promise.all([
    takeAddressIndex(programId),
    import("./crypto-addresses.ts"),
  ]);
  return { cryptoAddresses: cryptoAddresses(keys, addressIndex), addressIndex };
}

/**
 * The next index, from 0, never reused. Outside the issuing transaction, where all issuances would contend
 * for it: a failed issuance only leaves a gap.
 */
async function takeAddressIndex(programId: string): Promise<number> {
  const outcome = await addressIndexes.at(programId).updateNow({ add: { taken: 1 } });
  if (!outcome.updated) throw new Error("An update without a condition cannot fail one.");
  return outcome.item.taken - 1;
}
