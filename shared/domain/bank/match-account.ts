import { idPrefixes } from "../../contract/identifiers.ts";
import { type CardOrWallet, readCardOrWallet } from "../cards/card.ts";
import type { Account } from "../ledger/account.ts";

export interface Matched {
  readonly account: Account;
  readonly stored: CardOrWallet;
  /** The words that named it, as they were written. */
  readonly reference: string;
}

const kinds: Readonly<Record<string, Account["kind"]>> = {
  [idPrefixes.wallet]: "wallet",
  [idPrefixes.card]: "card",
};
const idPattern = new RegExp(
  `(?<![A-Za-z0-9_])(${Object.keys(kinds).join("|")})_([0-9A-HJKMNP-TV-Z]{26})(?![A-Za-z0-9_])`,
  "gi",
);

/** More ids than a sender writes. */
const mostIds = 5;

/** The first Wallet or Card of the Program whose id is a word of the texts. */
export async function matchAccount(
  programId: string,
  remittance: readonly string[],
): Promise<Matched | undefined> {
  const found = remittance.flatMap((text) => [...text.matchAll(idPattern)]).slice(0, mostIds);
  for (const [reference, prefix = "", ulid = ""] of found) {
    const kind = kinds[prefix.toLowerCase()];
    if (kind === undefined) continue;
    const account: Account = { kind, accountId: `${prefix.toLowerCase()}_${ulid.toUpperCase()}` };
    const stored = await readCardOrWallet(programId, account);
    if (stored) return { account, stored, reference };
  }
  return undefined;
}
