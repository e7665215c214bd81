import {
  type Card,
  type CardFunding,
  type CardIdentity,
  hasSameNumber,
  type SpendLimit,
} from "../cards/card.ts";
import type { Balances } from "../contract/balances.ts";
import type {
  Account,
  AccountBalances,
  AccountChange,
  AccountCondition,
  StoredAccount,
} from "../ledger/account.ts";
import { balanceChanges, type Posting, sweptTo } from "../ledger/postings.ts";
import { absent, all, type Condition } from "../platform/table/condition.ts";
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
interface Paid {
  readonly fundingWalletId?: string | undefined;
}

interface Pays {
  readonly card: Pick<CardIdentity, "cardId" | "numberId">;
  readonly funding?: Funding | undefined;
}

interface Facts {
  /** What the Card spends from, as it is known. */
  readonly now: CardFunding | undefined;
  /** What the event belongs to, if that exists. */
  readonly paid: Paid | undefined;
  readonly wallets: ReadonlyMap<string, StoredAccount>;
}

/** A hold stays where it was placed, and what is given back goes to the account that paid. */
export function findFunding({ now, paid, wallets }: Facts): Funding | undefined {
  const walletId = paid ? paid.fundingWalletId : now?.walletId;
  if (now === undefined && walletId === undefined) return undefined;
  const wallet = walletId === undefined ? undefined : wallets.get(walletId);
  return { now: now?.walletId, limit: now?.limit, walletId, wallet };
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

/** What a Card that spends from a Wallet may still spend, and holds of it. */
interface Spendable {
  readonly spendableMinor: number;
  readonly heldMinor: number;
}

/** `leftMinor`: what the Card's limit leaves, if it has one. */
export function toSpendable(
  { fundedHeldMinor = 0 }: Pick<Card, "fundedHeldMinor">,
  wallet: Pick<AccountBalances, "availableMinor"> | undefined,
  leftMinor = Number.POSITIVE_INFINITY,
): Spendable {
  const spendableMinor = Math.max(0, Math.min(wallet?.availableMinor ?? 0, leftMinor));
  return { spendableMinor, heldMinor: fundedHeldMinor };
}

/** As at a till, where the Wallet's own balance is not shown. */
export function atTill({ spendableMinor, heldMinor }: Spendable): Balances {
  return { availableBalance: spendableMinor, ledgerBalance: spendableMinor + heldMinor };
}

export interface Paying {
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

/** The entry and the accounts of what a plan moves of its Card: on the account that pays. */
export function payFrom({ card, funding }: Pays, plan: Moved): Paying {
  const own: Account = { kind: "card", accountId: card.cardId };
  const { walletId, now } = funding ?? {};
  const { require, balances } = plan;
  const asRead = withKnown(card, funding, plan);
  if (walletId === undefined) {
    const postings = sweptTo(now, card.cardId, plan.postings);
    const changes = postings.length > 0 || require || balances;
    const account = { name: "account", account: own, require: asRead, balances };
    return {
      postings,
      accounts: changes ? [account, ...walletChange(postings, now)] : [],
      told: { name: "account" },
      owner: own,
    };
  }
  const shared: Account = { kind: "wallet", accountId: walletId };
  const postings = plan.postings.map((posting) => moveTo(walletId, card.cardId, posting));
  const fundedHeldMinor = balanceChanges(postings).get(walletId)?.heldMinor ?? 0;
  const account: AccountChange = {
    name: "account",
    account: own,
    // A hold on another Wallet than the Card's stays there.
    require: walletId === now ? asRead : withCounted(withNumber(card, require), funding),
    ...(fundedHeldMinor !== 0 && { add: { fundedHeldMinor } }),
  };
  // What requires a usable Card can be declined: then the Wallet must have it.
  const wallet = walletChange(postings, walletId, require !== undefined && !plan.isOwed);
  return {
    postings,
    accounts: postings.length > 0 || require ? [account, ...wallet] : [],
    told: { name: walletId, shared },
    owner: shared,
  };
}

/** It may spend from another account since it was read. */
function withKnown(card: Pays["card"], funding: Funding | undefined, { require }: Moved): AccountCondition {
  const asKnown = { fundingWalletId: funding?.now ?? absent } as AccountCondition;
  const known = funding?.now === undefined ? asKnown : withCounted(asKnown, funding);
  return withNumber(card, require ? all(require, known) : known);
}

/** What it has spent is counted for the limit that the Card has. Without a Wallet, it has none. */
function withCounted(require: AccountCondition, funding: Funding | undefined): AccountCondition {
  return all(require, hasLimit(funding?.limit) as AccountCondition);
}

function withNumber(card: Pays["card"], require: AccountCondition | undefined): AccountCondition {
  const hasNumber = hasSameNumber(card) as AccountCondition;
  return require ? all(require, hasNumber) : hasNumber;
}

function moveTo(walletId: string, cardId: string, { account, amountMinor }: Posting): Posting {
  const [accountId, part] = account.split(":");
  return accountId === cardId
    ? { account: `${walletId}:${part}` as Posting["account"], amountMinor }
    : { account, amountMinor };
}

function walletChange(
  postings: readonly Posting[],
  walletId: string | undefined,
  canBeDeclined = false,
): AccountChange[] {
  const change = walletId === undefined ? undefined : balanceChanges(postings).get(walletId);
  if (walletId === undefined || !change) return [];
  const isCovered = canBeDeclined && change.availableMinor < 0;
  return [
    {
      name: walletId,
      account: { kind: "wallet", accountId: walletId },
      ...(isCovered && { isCovered }),
    },
  ];
}

/** What a commit requires of a Card whose limit it has followed. */
export function hasLimit(limit: SpendLimit | undefined): Condition<Card> {
  if (!limit) return { spendLimitFrom: absent };
  return { spendLimitFrom: limit.countsFrom, spendLimitMinor: limit.amountMinor };
}
