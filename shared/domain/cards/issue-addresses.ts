import * as z from "zod";
import type { CryptoAddress } from "../../contract/cards.ts";
import type { ExtendedPublicKeys } from "../../contract/program-settings.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";

const addressIndexes = defineEntity({
  name: "address index",
  table: "issuing",
  schema: z.object({ taken: z.int() }),
  key: issuingKey.addressIndex,
});

/** The deposit addresses of one Card, and the index below the Program's keys that they stand at. */
export interface IssuedAddresses {
  readonly cryptoAddresses: CryptoAddress[];
  readonly addressIndex: number;
}

/**
 * Deposit addresses that no other Card of the Program has or will have. The curves are loaded here, while the index is fetched,
 * because most invocations of the functions that can issue a Card do not, and should not wait for them at a cold start.
 */
export async function issueAddresses(programId: string, keys: ExtendedPublicKeys): Promise<IssuedAddresses> {
  const [addressIndex, { cryptoAddresses }] = await Promise.all([
    takeAddressIndex(programId),
    import("./crypto-addresses.ts"),
  ]);
  return { cryptoAddresses: cryptoAddresses(keys, addressIndex), addressIndex };
}

/**
 * The Program's next index, from 0; it is never given out again. The counter stands outside the issuing transaction, which would
 * make all issuances of the Program contend for it: an issuance that then fails leaves a gap, and nothing else.
 */
async function takeAddressIndex(programId: string): Promise<number> {
  const outcome = await addressIndexes.at(programId).updateNow({ add: { taken: 1 } });
  if (!outcome.updated) throw new Error("An update without a condition cannot fail one.");
  return outcome.item.taken - 1;
}
