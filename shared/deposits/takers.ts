import { type CardOrWallet, cards } from "../cards/card.ts";
import type { SuspenseReason } from "../contract/enums.ts";
import { type Account, type AccountCondition, accountAt } from "../ledger/account.ts";
import type { StoredAt } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { creditPuts, findRefusal, newCardIds, takesDeposits, tellOfDeposit } from "./card-deposit.ts";
import type { NewDeposit, RecordedDeposit } from "./deposit.ts";

/** What takes deposits, and what they leave there beside the money. */
interface Taker {
  /** Why it takes none; undefined if it does. */
  readonly findRefusal: (stored: CardOrWallet) => SuspenseReason | undefined;
  /** What must hold in the commit. */
  readonly require: AccountCondition | undefined;
  readonly newIds: typeof newCardIds;
  /** Its records on a statement. */
  readonly credit: (deposit: RecordedDeposit, at: Date) => WriteAction[];
  /** Its notification. */
  readonly tell: typeof tellOfDeposit;
}

/** A Wallet's journal is its statement, and no endpoint is notified of its deposits. */
export const takers: Readonly<Record<Account["kind"], Taker>> = {
  card: { findRefusal, require: takesDeposits, newIds: newCardIds, credit: creditPuts, tell: tellOfDeposit },
  wallet: {
    findRefusal: () => undefined,
    require: undefined,
    newIds: () => ({}),
    credit: () => [],
    tell: () => undefined,
  },
};

export type StoredTaker = CardOrWallet;

export function takerAt(programId: string, account: Account): Pick<StoredAt<StoredTaker>, "get" | "parse"> {
  return account.kind === "card" ? cards.at(programId, account.accountId) : accountAt(programId, account);
}

/** Where a deposit for a Card goes: to the Wallet that the Card spends from, if there is one. */
export function depositedOn(
  account: Account,
  stored: Pick<CardOrWallet, "fundingWalletId"> | undefined,
): Pick<NewDeposit, "account" | "cardId"> {
  const { fundingWalletId: accountId } = stored ?? {};
  if (account.kind !== "card" || accountId === undefined) return { account };
  return { account: { kind: "wallet", accountId }, cardId: account.accountId };
}
