export interface Authorization {
  authorized: number;
  released: number;
  finished: boolean;
  decided: boolean;
  /** What was settled for it. */
  cleared: number;
  /** What its receiver is asked about: it is held as if it were authorized. */
  reserved: number;
  /** Whether its question was the first to happen to it, and is all until now. */
  isOnlyAsked: boolean;
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
  readonly partialApproval: boolean;
  /** Whether the Program has an authorization endpoint. */
  readonly hasReceiver: boolean;
  readonly controls: readonly Control[];
  /** Amounts that were settled without an authorization. */
  readonly postings: number[];
  readonly authorizations: Map<number, Authorization>;
  readonly lines: Line[];
  readonly fees: Map<string, { feeType: number; amount: number; reversed: boolean }>;
  readonly refunds: Map<string, { amount: number; reversed: boolean }>;
  readonly debits: Map<string, { amount: number; disputed: boolean; byPin: boolean }>;
  readonly chargebacks: Map<string, { amount: number; status: number; byPin: boolean }>;
  readonly deposits: Map<string, { amount: number; status: "pending" | "cleared" | "reversed" | "returned" }>;
}

export function newCard(
  openingMinor: number,
  partialApproval: boolean,
  controls: readonly Control[] = [],
  hasReceiver = false,
): Card {
  const opening: Line = { transType: 18, transStatus: 2, type: "CR", amount: openingMinor };
  return {
    active: true,
    blocked: false,
    partialApproval,
    hasReceiver,
    controls,
    postings: [],
    authorizations: new Map(),
    lines: openingMinor === 0 ? [] : [opening],
    fees: new Map(),
    refunds: new Map(),
    debits: new Map(),
    chargebacks: new Map(),
    deposits: new Map(),
  };
}

const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, amount) => total + amount, 0);

export const openOf = ({ authorized, released, finished }: Authorization) =>
  finished ? 0 : Math.max(0, authorized - released);

/** With what is reserved. */
export const heldBy = (one: Authorization) => openOf({ ...one, authorized: one.authorized + one.reserved });

export function heldOf({ authorizations }: Card): number {
  return sum([...authorizations.values()].map(heldBy));
}

const pendingOf = ({ deposits }: Card) =>
  sum([...deposits.values()].map(({ amount, status }) => (status === "pending" ? amount : 0)));

const clearedOf = ({ deposits }: Card) =>
  sum([...deposits.values()].map(({ amount, status }) => (status === "cleared" ? amount : 0)));

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
export function usedOf({ authorizations, postings }: Card) {
  const counted = [...authorizations.values()].map(countedOf).filter((amount) => amount > 0);
  return { amount: sum([...counted, ...postings]), count: counted.length + postings.length };
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
  const deposits = [...card.deposits.values()].flatMap(({ amount, status }): Line[] => {
    if (status === "reversed") return [];
    const pending = status === "pending";
    const credit: Line = { transType: pending ? 24 : 18, transStatus: pending ? 1 : 2, type: "CR", amount };
    return status === "returned" ? [credit, { ...credit, transType: 26, type: "DR" }] : [credit];
  });
  return [...card.lines.filter(({ transStatus }) => transStatus !== 4), ...deposits];
}

export function declinesOf({ lines }: Card): Line[] {
  return lines.filter(({ transStatus }) => transStatus === 4);
}
