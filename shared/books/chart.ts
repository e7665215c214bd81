import { isWalletId } from "../ledger/journal-entry.ts";
import type { ContraAccount, Posting } from "../ledger/postings.ts";

/** Asset, liability, equity, revenue, expense: as in hledger. */
type AccountType = "A" | "L" | "E" | "R" | "X";

export interface BooksAccount {
  /** A path of plain words and ids, divided by colons. */
  readonly name: string;
  readonly type: AccountType;
}

/** What each contra account is to the Program. docs/ledger.md explains debit and credit. */
const contraAccounts = {
  bank_funding: { name: "assets:bank-funding", type: "A" },
  crypto_funding: { name: "assets:crypto-funding", type: "A" },
  network_settlement: { name: "liabilities:network-settlement", type: "L" },
  disputed: { name: "liabilities:disputed", type: "L" },
  suspense: { name: "liabilities:suspense", type: "L" },
  program_reserve: { name: "equity:program-reserve", type: "E" },
  fee_income: { name: "revenues:fees", type: "R" },
  interchange_income: { name: "revenues:interchange", type: "R" },
} as const satisfies Record<ContraAccount, BooksAccount>;

export const contraChart: readonly BooksAccount[] = Object.values(contraAccounts);

/** All Cards and Wallets without an entry of the day, as one sum. */
export const unchangedAccounts: BooksAccount = { name: "liabilities:unchanged-accounts", type: "L" };

/** An account of a posting: a contra account, or a part of a Card or Wallet. */
export function toBooksAccount(account: Posting["account"]): BooksAccount {
  const [accountId = "", part] = account.split(":");
  return part === undefined
    ? contraAccounts[account as ContraAccount]
    : { name: `${accountName(accountId)}:${part}`, type: "L" };
}

/** What a Card or Wallet holds belongs to its holder: the Program owes it. */
function accountName(accountId: string): string {
  return `liabilities:${isWalletId(accountId) ? "wallets" : "cards"}:${accountId}`;
}
