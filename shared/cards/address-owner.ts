import * as z from "zod";
import type { CryptoAddress } from "../contract/cards.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** Leads from a deposit address to its Card. */
const addressOwners = defineEntity({
  name: "address owner",
  schema: z.object({ cardId: z.string() }),
  key: (programId: string, chain: string, address: string) => ({
    pk: `${programId}#ADDRESS#${chain}#${address}`,
    sk: "ADDRESS",
  }),
});

/** Written with the Card's addresses, in one transaction. */
export function addressPuts(
  programId: string,
  cardId: string,
  addresses: readonly CryptoAddress[],
): WriteAction[] {
  return addresses.map(({ chain, address }) =>
    addressOwners.at(programId, chain, inOneCase(address)).put({ cardId }),
  );
}

export interface FoundAddress {
  /** The one way to write it. */
  readonly address: string;
  /** Undefined if no Card of the Program has it. */
  readonly cardId: string | undefined;
}

/**
 * Undefined for what is no address of the chain. Imports the curves on demand: most invocations
 * need none.
 */
export async function findAddress(
  programId: string,
  { chain, address: written }: Pick<CryptoAddress, "chain" | "address">,
): Promise<FoundAddress | undefined> {
  const { isAddress } = await import("./crypto-addresses.ts");
  if (!isAddress(chain, written)) return undefined;
  const address = inOneCase(written);
  const owner = await addressOwners.at(programId, chain, address).get();
  return { address, cardId: owner?.cardId };
}

/** Case means nothing in bech32, and in hex only a checksum. In base58 it tells addresses apart. */
function inOneCase(address: string): string {
  return /^(bc1|0x)/i.test(address) ? address.toLowerCase() : address;
}
