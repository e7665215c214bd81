import { type CardOrWallet, cardOrWalletAt } from "../../cards/card.ts";
import type { BankDeposited } from "../../contract/bank.ts";
import type { Account } from "../../ledger/account.ts";
import { isWalletId } from "../../ledger/journal-entry.ts";
import { findCreditorReferences, findIds, type Named } from "./named-in-text.ts";

export interface Matched {
  readonly account: Account;
  readonly stored: CardOrWallet;
  /** The words that named it, as they were written. */
  readonly reference: string;
}

/** More ids than a payer writes. */
const mostIds = 5;

/**
 * The Wallet or Card of the Program that the texts name: where a creditor's reference belongs, else
 * by a creditor reference, else by an id. Of several, none: nobody but the payer knows which.
 */
export async function matchAccount(
  programId: string,
  {
    creditorReferences = [],
    remittance,
    suspend,
  }: Pick<BankDeposited, "creditorReferences" | "remittance" | "suspend">,
): Promise<Matched | undefined> {
  if (suspend !== undefined) return undefined;
  const places = [
    [...findCreditorReferences(creditorReferences), ...findIds(creditorReferences, ["card", "wallet"])],
    findCreditorReferences(remittance),
    findIds(remittance, ["card", "wallet"]),
  ];
  for (const named of places) {
    const found = await readNamed(programId, named);
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

async function readNamed(programId: string, named: readonly Named[]): Promise<(Matched | undefined)[]> {
  const ids = new Map(named.map((one) => [one.id, one]));
  if (ids.size > mostIds) return [undefined, undefined];
  const found = await Promise.all(
    [...ids.values()].map(async ({ id: accountId, written }) => {
      const account: Account = { kind: isWalletId(accountId) ? "wallet" : "card", accountId };
      const stored = await cardOrWalletAt(programId, account).get();
      return stored && { account, stored, reference: written };
    }),
  );
  return found.filter((one) => one !== undefined);
}
