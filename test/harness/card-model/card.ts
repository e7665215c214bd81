import type { Proof } from "./authentications.ts";
import type { Debit, Dispute, Refund } from "./debits.ts";
import { firstPlastics, type Plastics } from "./plastics.ts";
import type { Token } from "./wallet-tokens.ts";

/**
 * Changes and totals of the network. A total counts from when it comes, unless it is dated: those
 * count in the order in which they occurred.
 */
export interface Authorization {
  authorized: number;
  released: number;
  finished: boolean;
  /** Finished by the platform's own decline. */
  declined: boolean;
  decided: boolean;
  /** What was settled for it, by which events, and what was refunded of that. */
  cleared: number;
  readonly posted: string[];
  refunded: number;
  /** All of it was reversed: nothing can be settled late. */
  reversed: boolean;
  /** What its receiver is asked about: it is held as if it were authorized. */
  readonly reserved: { readonly id: string; readonly amount: number; readonly isIncrement: boolean }[];
  /** Whether its question was the first to happen to it, and is all until now. */
  isOnlyAsked: boolean;
  /** The total of an advice has its authorization in it, whenever that comes. */
  hasTotal: boolean;
  /** What a reversal has left, cleared or not. */
  limit?: number;
  readonly dated: { readonly occurred: number; readonly isLimit: boolean; readonly amount: number }[];
}

/** Of cash, with a name by which the network can take it back. */
export interface Withdrawal {
  decided: boolean;
  finished: boolean;
  declined: boolean;
  isOnlyAsked: boolean;
  /** Its postings, by their events. */
  posted?: readonly string[];
  /** Its settlement has come. */
  cleared: boolean;
  /** Its fee, if it came after its whole reversal: its settlement charges it. */
  owedFee?: number;
  /** What is paid out and not given back. */
  left: number;
  /** What reversals that came first have left. */
  limit?: number;
}

/** A velocity control; its window is a lifetime unless it is one authorization. */
export interface Control {
  readonly owner: "program" | "cardholder" | "card";
  readonly amount?: number | undefined;
  readonly count?: number | undefined;
  readonly window: "authorization" | "lifetime" | "P90D" | "year";
}

interface Line {
  readonly transType: number;
  readonly transStatus: number;
  readonly type: "DR" | "CR";
  readonly amount: number;
}

/**
 * The simplest model of a card: lists, from which balances are computed anew. No postings, order of
 * events or store.
 */
export interface Card {
  active: boolean;
  blocked: boolean;
  closed: boolean;
  /** Whether a dispute is credited as it is submitted. */
  readonly creditsAtOnce: boolean;
  readonly partialApproval: boolean;
  /** Whether the Program has an authorization endpoint. */
  readonly hasReceiver: boolean;
  /** Whether a control wants the code to fit, and what authenticates to be good. */
  readonly wantsVerified: boolean;
  readonly controls: readonly Control[];
  /** Amounts that were settled without an authorization. */
  readonly postings: number[];
  readonly authorizations: Map<number, Authorization>;
  readonly withdrawals: Map<number, Withdrawal>;
  /** Withdrawals whose receiver is asked, by their events. */
  readonly asked: Map<
    string,
    { readonly amount: number; readonly fee: number; readonly slot?: number | undefined }
  >;
  /** By their events; undefined while the receiver is asked. */
  readonly increments: Map<string, { readonly slot: number; approved?: number }>;
  /** Reference codes of settlements. */
  readonly references: Set<number>;
  readonly lines: Line[];
  readonly fees: Map<string, { feeType: number; amount: number; reversed: boolean }>;
  readonly refunds: Map<string, Refund>;
  readonly debits: Map<string, Debit>;
  readonly disputes: Map<string, Dispute>;
  readonly deposits: Map<string, Deposit>;
  readonly plastics: Plastics;
  readonly proofs: Proof[];
  /** By what the network calls them. */
  readonly tokens: Map<number, Token>;
}

interface Deposit {
  readonly amount: number;
  status: "pending" | "cleared" | "reversed" | "returned";
  readonly returns: number[];
}

export type Given = Pick<Card, "partialApproval" | "controls" | "hasReceiver" | "creditsAtOnce"> & {
  readonly wantsVerified?: boolean;
  readonly openingMinor: number;
  /** What replaces its plastic must be activated. */
  readonly physical?: boolean;
};

export function newCard({ openingMinor, physical = false, wantsVerified = false, ...given }: Given): Card {
  const opening: Line = { transType: 18, transStatus: 2, type: "CR", amount: openingMinor };
  return {
    ...given,
    wantsVerified,
    active: true,
    blocked: false,
    closed: false,
    postings: [],
    authorizations: new Map(),
    withdrawals: new Map(),
    asked: new Map(),
    increments: new Map(),
    references: new Set(),
    lines: openingMinor === 0 ? [] : [opening],
    fees: new Map(),
    refunds: new Map(),
    debits: new Map(),
    disputes: new Map(),
    deposits: new Map(),
    plastics: firstPlastics(physical),
    proofs: [],
    tokens: new Map(),
  };
}

const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, amount) => total + amount, 0);

export function openOf(one: Authorization): number {
  const { authorized, released, finished, cleared, limit = Number.POSITIVE_INFINITY } = one;
  const left = one.dated.length > 0 ? totalOf(one) - cleared : authorized - released;
  return finished ? 0 : Math.max(0, Math.min(left, limit - cleared));
}

/** The authorization is first. Of totals at the same time the highest counts, then the limits. */
function totalOf({ authorized, dated }: Authorization): number {
  return dated
    .toSorted(
      (one, other) =>
        one.occurred - other.occurred ||
        Number(one.isLimit) - Number(other.isLimit) ||
        one.amount - other.amount,
    )
    .reduce((total, { isLimit, amount }) => (isLimit ? Math.min(total, amount) : amount), authorized);
}

/** An increment comes after all totals, an authorization before them. */
export function increase(one: Authorization, amount: number, isIncrement: boolean): Authorization {
  if (one.hasTotal && !isIncrement) return one;
  one.authorized += amount;
  if (one.limit !== undefined && isIncrement) one.limit += amount;
  return one;
}

/** With what is reserved. */
export function heldBy(one: Authorization): number {
  const all = one.reserved.reduce(
    (held, { amount, isIncrement }) => increase(held, amount, isIncrement),
    structuredClone(one),
  );
  return openOf(all);
}

export const withinLimit = (withdrawal: Withdrawal | undefined, amount: number) =>
  Math.min(amount, withdrawal?.limit ?? amount);

/** What is held for withdrawals whose receiver is asked, without their fees. */
function askedOf({ asked, withdrawals }: Card) {
  return [...asked.values()].flatMap(({ amount, fee, slot = -1 }) => {
    const withdrawal = withdrawals.get(slot);
    return withdrawal?.finished ? [] : [{ amount: withinLimit(withdrawal, amount), fee }];
  });
}

export function heldOf(card: Card): number {
  const withdrawals = askedOf(card).map(({ amount, fee }) => amount + fee);
  return sum([...card.authorizations.values()].map(heldBy)) + sum(withdrawals);
}

const pendingOf = ({ deposits }: Card) =>
  sum([...deposits.values()].map(({ amount, status }) => (status === "pending" ? amount : 0)));

export const leftOf = ({ amount, returns }: Deposit) => amount - sum(returns);

const clearedOf = ({ deposits }: Card) =>
  sum([...deposits.values()].map((deposit) => (deposit.status === "cleared" ? leftOf(deposit) : 0)));

/** Everything that was credited, cleared or not, less everything that was settled. */
export function ledgerOf(card: Card): number {
  const posted = card.lines.filter(({ transStatus }) => transStatus !== 4);
  return (
    sum(posted.map(({ type, amount }) => (type === "CR" ? amount : -amount))) +
    clearedOf(card) +
    pendingOf(card) -
    sum([...card.fees.values()].map(({ amount }) => amount))
  );
}

export function availableOf(card: Card): number {
  return ledgerOf(card) - heldOf(card) - pendingOf(card);
}

const countedOf = (authorization: Authorization) => heldBy(authorization) + authorization.cleared;

/** What controls have counted, in windows that do not end. */
export function usedOf(card: Card) {
  const { authorizations, withdrawals, postings } = card;
  const paid = [...withdrawals.values()].map(({ left }) => left);
  const counted = [...[...authorizations.values()].map(countedOf), ...paid].filter((amount) => amount > 0);
  const all = [...counted, ...askedOf(card).map(({ amount }) => amount), ...postings];
  return { amount: sum(all), count: all.length };
}

/** Whether a control declines what adds an amount: to an authorization, or without one. */
export function isDeclined(card: Card, added: number, authorization?: Authorization): boolean {
  const used = usedOf(card);
  const before = authorization ? countedOf(authorization) : 0;
  return card.controls.some(
    ({ amount = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, window }) =>
      window === "authorization"
        ? before + added > amount
        : used.amount + added > amount || (before === 0 && added > 0 && used.count >= count),
  );
}

/** What the list of transactions shows. */
export function linesOf(card: Card): Line[] {
  const deposits = [...card.deposits.values()].flatMap(({ amount, status, returns }): Line[] => {
    if (status === "reversed") return [];
    const pending = status === "pending";
    const credit: Line = { transType: pending ? 24 : 18, transStatus: pending ? 1 : 2, type: "CR", amount };
    return [credit, ...returns.map((part): Line => ({ ...credit, transType: 26, type: "DR", amount: part }))];
  });
  return [...card.lines.filter(({ transStatus }) => transStatus !== 4), ...deposits];
}

export function declinesOf({ lines }: Card): Line[] {
  return lines.filter(({ transStatus }) => transStatus === 4);
}
