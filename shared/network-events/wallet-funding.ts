import type { Card, SpendLimit } from "../cards/card.ts";
import type { Balances } from "../contract/balances.ts";
import type { Account, AccountBalances, AccountChange } from "../ledger/account.ts";
import { sweptTo } from "../ledger/movements.ts";
import { balanceChanges, type Posting } from "../ledger/postings.ts";
import { absent, all, type Condition } from "../platform/table/condition.ts";
import { type PayFunded, payOwn, withKnown } from "./funding.ts";

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

/** The entry and the accounts of what a plan moves of its Card, on the account that pays. */
export const payFunded: PayFunded = ({ card, funding }, plan) => {
  const { walletId, now, limit } = funding;
  const known = now === walletId || walletId === undefined ? isFundedBy(now, limit) : hasLimit(limit);
  if (walletId === undefined) {
    const postings = sweptTo(now, card.cardId, plan.postings);
    const own = payOwn(card, { ...plan, postings }, known);
    return { ...own, accounts: [...own.accounts, ...walletChange(postings, now)] };
  }
  const { require } = plan;
  const shared: Account = { kind: "wallet", accountId: walletId };
  const postings = plan.postings.map((posting) => moveTo(walletId, card.cardId, posting));
  const fundedHeldMinor = balanceChanges(postings).get(walletId)?.heldMinor ?? 0;
  const account: AccountChange = {
    name: "account",
    account: { kind: "card", accountId: card.cardId },
    // A hold on another Wallet than the Card's stays there.
    require: withKnown(card, require, known),
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
};

/** What it has spent is counted for the limit that the Card has. */
function isFundedBy(walletId: string | undefined, limit: SpendLimit | undefined): Condition<Card> {
  return all<Card>({ fundingWalletId: walletId }, hasLimit(limit));
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
