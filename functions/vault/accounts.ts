import { AccountDetails, toAccountKey } from "../../shared/contract/bank-account.ts";
import type { Command } from "./command.ts";
import { currentKey, mac, open, seal } from "./keys.ts";

/** Part of what is hashed: no fingerprint can be compared with a card number's hash. */
const purpose = "external account";

export const sealAccount: Command<"seal-account"> = async ({ programId, externalAccountId, account }) => {
  const [sealed, fingerprint] = await Promise.all([
    seal(Buffer.from(JSON.stringify(account)), { programId, externalAccountId }),
    mac(currentKey("numberIndex"), purpose, programId, toText(account)),
  ]);
  return { sealed, fingerprint: fingerprint.toString("base64url") };
};

/** However it was written. */
function toText(account: AccountDetails): string {
  return toAccountKey("iban" in account ? account.iban : `${account.routingNumber}/${account.accountNumber}`);
}

export const openAccounts: Command<"open-accounts"> = async ({ programId, accounts }) => ({
  accounts: await Promise.all(
    accounts.map(async ({ externalAccountId, sealed }) =>
      AccountDetails.parse(JSON.parse((await open(sealed, { programId, externalAccountId })).toString())),
    ),
  ),
});
