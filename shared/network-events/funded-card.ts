import {
  type Card,
  type CardFunding,
  cacheCard,
  cards,
  findCachedFunding,
  type SpendLimit,
  toFunding,
} from "../cards/card.ts";
import { type Read, type Unread, unread } from "../changes/change.ts";
import type { StoredAccount } from "../ledger/account.ts";
import { type ReadWallet, readAccount, requireHotWallets } from "../ledger/hot-wallets.ts";
import { isWalletId } from "../ledger/journal-entry.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import type { FailedConditions } from "../platform/table/transact.ts";
import { type CardReads, type CardWithUsage, type FundingDoor, hasBalances, isAsked } from "./card-change.ts";
import { type CardEvent, findFacts } from "./card-event.ts";
import type { Paid } from "./funding.ts";
import type { FoundControls, SpendControls } from "./spend-controls.ts";
import { atTill, payFunded, toSpendable } from "./wallet-funding.ts";

/** What a Card's limit has counted, and in whose days. */
export interface CountedLimit {
  readonly usage: CardWithUsage["usage"];
  readonly timeZone: string;
}

/** How an event finds what a Card's limit has counted. */
export interface LimitsDoor {
  /** The Card with what its limit has counted, by one read. */
  readWithUsage(programId: string, cardId: string): Promise<CardWithUsage>;
  /** What a limit has counted by now: `stored`, if that was read with the Card. None: nothing. */
  limit(of: CardReads, limit: SpendLimit | undefined, stored?: CardWithUsage): Read<CountedLimit>;
  /** What is in force with the Card's limit, which counts like a control. */
  withLimit(
    controls: FoundControls | undefined,
    cardId: string,
    limit: SpendLimit | undefined,
    counted: CountedLimit,
  ): SpendControls | undefined;
}

type Wallets = ReadonlyMap<string, StoredAccount>;

/** What is read of a Card that spends from a Wallet, beside what its event's kind reads. */
interface Found {
  readonly funding: CardFunding | undefined;
  /** What its limit has counted. */
  readonly limit: CountedLimit | undefined | Unread;
  readonly wallets: Wallets;
  readonly account?: Card | undefined | Unread;
  readonly hold?: Paid | undefined | Unread;
  /** The record that the event names. */
  readonly original?: Paid | undefined;
  readonly controls?: FoundControls | undefined;
  readonly endpoint?: object | undefined;
}

export function fundingDoor(limits: LimitsDoor): FundingDoor {
  return {
    reads: (of) => ({ funding: readFunding(of), limit: readLimit(of, limits), wallets: readWallets(of) }),
    judge: (of, event, seen) => {
      const found = seen as Found;
      const { limit, controls, wallets } = found;
      const funding = findPaying(event, found);
      if (funding?.limit !== undefined && limit === unread && looksAtLimit(event, found))
        return { readMore: { limit: limits.limit(of, funding.limit) } };
      if (funding?.walletId !== undefined && !funding.wallet && showsBalance(event, found))
        return moreWallets(of, wallets, funding.walletId);
      const counts = limit && limit !== unread;
      return {
        funding,
        controls: counts ? limits.withLimit(controls, event.cardId, funding?.limit, limit) : controls,
      };
    },
    readMore: (of, { funding }, { transaction }, seen) => {
      if (funding?.walletId === undefined || funding.wallet || !transaction?.controlId) return undefined;
      return moreWallets(of, (seen as Found).wallets, funding.walletId).readMore;
    },
    // Its own reason to decline comes before the limit's, and before that of a part.
    needsAccount: ({ sent: { event } }) =>
      isAsked(event) && findCachedFunding(event.programId, event.cardId)?.limit !== undefined,
    readCard: (of) => readCard(of, limits),
    balancesAfter: ({ funding, controls, at, card }, { fundedHeldMinor = 0 }, plan) => {
      const change = balanceChanges(plan.postings).get(card.cardId) ?? zeroBalances;
      const held = { fundedHeldMinor: fundedHeldMinor + change.heldMinor };
      const availableMinor = (funding?.wallet?.availableMinor ?? 0) + change.availableMinor;
      return atTill(toSpendable(held, { availableMinor }, (plan.controls ?? controls)?.leftMinor(at)));
    },
    pay: payFunded,
  };
}

/**
 * A hold stays where it was placed, and what is given back goes to the account that paid what the
 * event names. Else what the Card spends from pays, and for a fee.
 */
function findPaying(event: CardEvent, { account, hold, original, funding, wallets }: Found) {
  const now = account && account !== unread ? toFunding(account) : funding;
  const paid = event.kind === "fee" ? undefined : ((hold && hold !== unread ? hold : undefined) ?? original);
  const walletId = paid ? paid.fundingWalletId : now?.walletId;
  if (now === undefined && walletId === undefined) return undefined;
  const wallet = walletId === undefined ? undefined : wallets.get(walletId);
  return { now: now?.walletId, limit: now?.limit, walletId, wallet };
}

/** It counts, or its answer says what the Card may spend. */
function looksAtLimit(event: CardEvent, found: Found): boolean {
  return "controls" in found || event.kind === "balance_inquiry";
}

/** The Wallet's balance is answered or asked about. */
function showsBalance(event: CardEvent, { endpoint }: Found): boolean {
  return hasBalances(event) || event.kind === "balance_inquiry" || endpoint !== undefined;
}

/** As this process has last seen it: a commit requires it, and fails with the Card. */
function readFunding(of: CardReads): Read<CardFunding> {
  const { programId, cardId } = of.sent.event;
  const get = async () => {
    await of.readIdentity();
    return findCachedFunding(programId, cardId);
  };
  const renew = async (seen: CardFunding | undefined, failed: FailedConditions) => {
    const card = failed.has("account") ? cards.at(programId, cardId).parse(failed.get("account")) : undefined;
    if (!card) return seen;
    cacheCard(programId, card);
    return toFunding(card);
  };
  return { get, renew };
}

/** In the first round where this process knows that the Card has one, or reads the Card. */
function readLimit(of: CardReads, limits: LimitsDoor): Read<CountedLimit> {
  const { programId, event } = of.sent;
  const known = findCachedFunding(programId, event.cardId)?.limit;
  const get = async () => {
    if (!isReadWithLimit(of)) return unread;
    const isRead = !of.known || of.isCardRead || isAsked(event);
    if (known && !isRead) return limits.limit(of, known).get();
    const stored = await of.readStored();
    const { limit } = (stored.card && toFunding(stored.card)) ?? {};
    return limit ? limits.limit(of, limit, stored).get() : unread;
  };
  return { ...limits.limit(of, known), get };
}

function readCard(of: CardReads, limits: LimitsDoor): Promise<CardWithUsage> {
  const { programId, cardId } = of.sent.event;
  if (isReadWithLimit(of)) return limits.readWithUsage(programId, cardId);
  return cards
    .at(programId, cardId)
    .get()
    .then((card) => ({ card, usage: undefined }));
}

/** The event may look at a limit, and the Card has one, as far as this process knows. */
function isReadWithLimit({ sent: { programId, event }, known }: CardReads): boolean {
  const { isControlled, looksAtLimit } = findFacts(event);
  return (
    !!(isControlled || looksAtLimit) &&
    (!known || findCachedFunding(programId, event.cardId)?.limit !== undefined)
  );
}

/** Authorizations are tried without: a Wallet that lacks the money is returned as it is. */
function readWallets(of: CardReads): Read<Wallets> {
  const { programId, event } = of.sent;
  const find = async () => {
    if (isAsked(event)) await of.readIdentity();
    return findCachedFunding(programId, event.cardId)?.walletId;
  };
  const foresee: ReadWallet = (...wallet) =>
    requireHotWallets().foresee(of.amountMinor, !!of.known)(...wallet);
  return readWallet(of, find, isAsked(event) ? foresee : readAccount);
}

/** Where its balance is answered. */
function moreWallets(of: CardReads, wallets: Wallets, walletId: string) {
  return { readMore: { wallets: readWallet(of, async () => walletId, readAccount, wallets) } };
}

function readWallet(
  { sent: { programId } }: CardReads,
  find: () => Promise<string | undefined>,
  read: ReadWallet,
  known?: Wallets,
): Read<Wallets> {
  const get = async () => {
    const accountId = await find();
    const wallet = accountId && (await read(programId, { kind: "wallet", accountId }));
    return new Map([...(known ?? []), ...(wallet ? [[accountId, wallet] as const] : [])]);
  };
  const renew = async (seen: Wallets | undefined, failed: FailedConditions) => {
    const found = [...failed].filter(([name, stored]) => isWalletId(name) && stored !== undefined);
    return new Map([...(seen ?? []), ...(found as unknown as [string, StoredAccount][])]);
  };
  return { get, renew };
}
