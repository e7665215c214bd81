import { type Card, type CardIdentity, hasOwnMoney, hasSameNumber, type SpendLimit } from "../cards/card.ts";
import type {
  Account,
  AccountBalances,
  AccountChange,
  AccountCondition,
  StoredAccount,
} from "../ledger/account.ts";
import type { Posting } from "../ledger/postings.ts";
import { all, type Condition } from "../platform/table/condition.ts";
import type { SpendControls } from "./spend-controls.ts";

/** Where a Card spends from a Wallet, or has a hold on one. Absent: its own account alone. */
export interface Funding {
  /** The Wallet that the Card spends from now. */
  readonly now?: string | undefined;
  /** How much of it the Card may spend in a window. */
  readonly limit?: SpendLimit | undefined;
  /** The Wallet that pays the event. Absent: the Card's own account, as its hold says. */
  readonly walletId?: string | undefined;
  /** The whole Wallet that pays, once it is read. */
  readonly wallet?: StoredAccount | undefined;
}

/** What says which account paid: a hold, or the record that an event names. */
export interface Paid {
  readonly fundingWalletId?: string | undefined;
}

interface Pays {
  readonly card: Pick<CardIdentity, "cardId" | "numberId">;
  readonly funding?: Funding | undefined;
}

/** The mark of records that a Wallet pays for; nothing for a Card's own account. */
export function fundedBy({ funding }: Pick<Pays, "funding">): Paid {
  return funding?.walletId === undefined ? {} : { fundingWalletId: funding.walletId };
}

interface Spends {
  readonly funding?: Funding | undefined;
  readonly account?: { readonly availableMinor: number } | undefined;
}

/** What the paying account has, once it is read. */
export function findAvailable({ funding, account }: Spends): number | undefined {
  return funding?.walletId === undefined ? account?.availableMinor : funding.wallet?.availableMinor;
}

/** The lesser of what the account has, as far as it is read, and what the Card's limit leaves. */
export function findSpendable(
  subject: Spends & { readonly controls?: SpendControls | undefined; readonly at: Date },
): number {
  const availableMinor = findAvailable(subject);
  const leftMinor = subject.controls?.leftMinor(subject.at);
  return Math.min(availableMinor ?? leftMinor ?? 0, leftMinor ?? Number.POSITIVE_INFINITY);
}

interface Paying {
  readonly postings: readonly Posting[];
  readonly accounts: readonly AccountChange[];
  /** Whose ledger balance receivers are told. */
  readonly told: { readonly name: string; readonly shared?: Account };
  readonly owner: Account;
}

interface Moved {
  readonly postings: readonly Posting[];
  readonly require?: AccountCondition | undefined;
  readonly balances?: Partial<AccountBalances> | undefined;
  /** A Wallet is charged what the Card owes, whether or not it has it. */
  readonly isOwed?: boolean;
}

/** Moves what a plan says, on the account that pays: of a Card that has a Wallet, or had one. */
export type PayFunded = (subject: Pays & { readonly funding: Funding }, plan: Moved) => Paying;

/** Moves it on the Card's own account, while the Card spends from what it is known to. */
export function payOwn(
  card: Pays["card"],
  { postings, require, balances }: Moved,
  known: Condition<Card> = hasOwnMoney,
): Paying {
  const owner: Account = { kind: "card", accountId: card.cardId };
  const account = { name: "account", account: owner, require: withKnown(card, require, known), balances };
  const changes = postings.length > 0 || require || balances;
  return { postings, accounts: changes ? [account] : [], told: { name: "account" }, owner };
}

/** It may have another number, or spend from another account, since it was read. */
export function withKnown(
  card: Pays["card"],
  require: AccountCondition | undefined,
  known: Condition<Card>,
): AccountCondition {
  const asKnown = all<Card>(known, hasSameNumber(card)) as AccountCondition;
  return require ? all(require, asKnown) : asKnown;
}
