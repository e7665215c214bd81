import { askVault } from "../cards/ask-vault.ts";
import type { AccountDetails } from "../contract/bank-account.ts";
import { maximumOpened } from "../contract/vault.ts";
import type { ExternalAccount } from "./external-account.ts";

/**
 * Decrypted details of a Program's external accounts, by id, for payment files. Never store or log
 * them.
 * @throws ApiError UNAVAILABLE
 */
export async function readAccountDetails(
  programId: string,
  accounts: readonly Pick<ExternalAccount, "externalAccountId" | "sealed">[],
): Promise<ReadonlyMap<string, AccountDetails>> {
  const details = new Map<string, AccountDetails>();
  for (let read = 0; read < accounts.length; read += maximumOpened) {
    const some = accounts.slice(read, read + maximumOpened);
    const asked = some.map(({ externalAccountId, sealed }) => ({ externalAccountId, sealed }));
    const opened = await askVault("open-accounts", { programId, accounts: asked });
    for (const [place, { externalAccountId }] of some.entries()) {
      const one = opened.accounts[place];
      if (!one) throw new Error(`The vault did not open ${externalAccountId}.`);
      details.set(externalAccountId, one);
    }
  }
  return details;
}
