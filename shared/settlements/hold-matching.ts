import { type Currency, numericCurrency, TransactionType } from "../contract/enums.ts";
import { findTypeFacts } from "../contract/transaction-types.ts";
import { dayMs } from "../platform/clock.ts";
import { inLanes } from "../platform/in-lanes.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { transactionsWithin } from "../transactions/transactions-within.ts";
import type { ReportDay } from "./compare-files.ts";
import type { Posted } from "./posted.ts";
import type { Tally } from "./tally.ts";

/** A hold from before a cycle may settle in it: every hold expires within this time. */
export const daysBeforeCycle = 8;

export interface HeldAmount {
  readonly transId: string;
  readonly amountMinor: number;
  readonly at: string;
  /** What the merchant billed, where the network told it. */
  readonly billed?: { readonly amountMinor: number; readonly currency: string } | undefined;
  /** The authorization that placed or released it. A receiver of notifications does not see it. */
  readonly reference?: string | undefined;
  /** What the platform has not released of a hold. */
  readonly openMinor?: number;
}

export interface SettledAmount extends HeldAmount {
  /** The merchant billed in another currency than the card's. */
  readonly crossCurrency: boolean;
  /** What the network told of it. */
  readonly interchangeMinor?: number | undefined;
}

interface Pair {
  readonly hold: HeldAmount;
  readonly settlement: SettledAmount;
}

interface Match extends Pair {
  /** Settled less held. */
  readonly differenceMinor: number;
  readonly varianceBasisPoints: number;
  /** The variance is above 2 %. */
  readonly flagged: boolean;
}

interface Matching {
  readonly matches: Match[];
  readonly unmatchedHolds: HeldAmount[];
  readonly unmatchedSettlements: SettledAmount[];
}

/** A hold is settled at most so many days after it. */
const maximumDays = 3;

const sameCurrencyBasisPoints = 50;
const crossCurrencyBasisPoints = 250;
const flaggedAboveBasisPoints = 200;

/**
 * Matches each hold with at most one settlement, at most three days later and 0.5 % apart; 2.5 % if
 * the merchant billed in another currency, interchange and the change of the rate left out. The
 * closest amount wins, then the closest date. Uses no common key, since a receiver sees none.
 */
export function matchHolds(holds: readonly HeldAmount[], settlements: readonly SettledAmount[]): Matching {
  const matchedHolds = new Set<HeldAmount>();
  const matchedSettlements = new Set<SettledAmount>();
  const matches: Match[] = [];
  for (const { hold, settlement } of findCandidates(holds, settlements)) {
    if (matchedHolds.has(hold) || matchedSettlements.has(settlement)) continue;
    matchedHolds.add(hold);
    matchedSettlements.add(settlement);
    matches.push(toMatch({ hold, settlement }));
  }
  return {
    matches: matches.toSorted((left, right) => byTime(left.settlement, right.settlement)),
    unmatchedHolds: holds.filter((hold) => !matchedHolds.has(hold)),
    unmatchedSettlements: settlements.filter((settlement) => !matchedSettlements.has(settlement)),
  };
}

/** Whether the amounts differ by at most so many hundredths of a percent of the second. */
export function isWithin(leftMinor: number, rightMinor: number, basisPoints: number): boolean {
  return Math.abs(leftMinor - rightMinor) * 10_000 <= Math.abs(rightMinor) * basisPoints;
}

/** The likeliest pair first. */
function findCandidates(holds: readonly HeldAmount[], settlements: readonly SettledAmount[]): Pair[] {
  const byDay = Map.groupBy(holds, getDay);
  const pairs = settlements.flatMap((settlement) =>
    daysUntil(settlement)
      .flatMap((day) => byDay.get(day) ?? [])
      .filter((hold) => isAfter(settlement, hold) && hasSameAmount(settlement, hold))
      .map((hold) => ({ hold, settlement })),
  );
  return pairs.toSorted(
    (left, right) =>
      amountBetween(left) - amountBetween(right) ||
      timeBetween(left) - timeBetween(right) ||
      byTime(left.settlement, right.settlement) ||
      byTime(left.hold, right.hold),
  );
}

const amountBetween = ({ hold, settlement }: Pair) => Math.abs(settlement.amountMinor - hold.amountMinor);
const timeBetween = ({ hold, settlement }: Pair) => Math.abs(Date.parse(settlement.at) - Date.parse(hold.at));

function byTime(left: HeldAmount, right: HeldAmount): number {
  return Date.parse(left.at) - Date.parse(right.at) || (left.transId < right.transId ? -1 : 1);
}

/** Days are UTC's, as the notifications' dates are. */
const getDay = ({ at }: HeldAmount) => Math.floor(Date.parse(at) / dayMs);

function daysUntil(settlement: SettledAmount): number[] {
  return Array.from({ length: maximumDays + 1 }, (_, index) => getDay(settlement) - maximumDays + index);
}

function isAfter(settlement: HeldAmount, hold: HeldAmount): boolean {
  return Date.parse(settlement.at) >= Date.parse(hold.at);
}

/** Whether the amounts are close enough for a match. */
function hasSameAmount(settlement: SettledAmount, { amountMinor, billed }: HeldAmount): boolean {
  const { amountMinor: settledMinor, crossCurrency, interchangeMinor = 0 } = settlement;
  if (!crossCurrency) return isWithin(settledMinor, amountMinor, sameCurrencyBasisPoints);
  const sign = settledMinor < amountMinor ? -1 : 1;
  const apartMinor = Math.max(0, Math.abs(settledMinor - amountMinor) - Math.abs(interchangeMinor));
  if (isWithin(amountMinor + sign * apartMinor, amountMinor, crossCurrencyBasisPoints)) return true;
  // At the hold's rate, it is without the uplift of the day on which it was converted.
  const atSameRate =
    billed && settlement.billed?.currency === billed.currency && billed.amountMinor > 0
      ? Math.round((settlement.billed.amountMinor * amountMinor) / billed.amountMinor)
      : undefined;
  return atSameRate !== undefined && isWithin(atSameRate, amountMinor, crossCurrencyBasisPoints);
}

function toMatch({ hold, settlement }: Pair): Match {
  const differenceMinor = settlement.amountMinor - hold.amountMinor;
  return {
    hold,
    settlement,
    differenceMinor,
    varianceBasisPoints: Math.round((Math.abs(differenceMinor) * 10_000) / hold.amountMinor),
    flagged: !isWithin(settlement.amountMinor, hold.amountMinor, flaggedAboveBasisPoints),
  };
}

const releasing: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_reversal,
  TransactionType.authorization_reversal_issuerexpiration,
  TransactionType.authorizationexpiry,
]);

/**
 * A hold is the amount authorized under one reference, with increments and advices, less reversals
 * and expiries; empty ones are left out. Undefined if the cycle has more records.
 */
export async function readCycle(
  programId: string,
  cardId: string,
  currency: Currency,
  { since, until }: { readonly since: Date; readonly until?: Date },
  mostRecords = Number.POSITIVE_INFINITY,
): Promise<{ readonly holds: HeldAmount[]; readonly settlements: SettledAmount[] } | undefined> {
  const holds = new Map<string, PlacedHold>();
  const settlements: SettledAmount[] = [];
  let records = 0;
  for await (const transaction of transactionsWithin(programId, cardId, since, until)) {
    records += 1;
    if (records > mostRecords) return undefined;
    const { transType, transId, amountMinor, transDate: at, authorizationId: reference } = transaction;
    const billed = billedBy(transaction);
    const placed = reference === undefined ? undefined : holds.get(reference);
    if (transType === TransactionType.authorization_clearing) {
      const { srcCurrency = numericCurrency[currency], interchangeMinor, releasedMinor = 0 } = transaction;
      const crossCurrency = srcCurrency !== numericCurrency[currency];
      settlements.push({ transId, amountMinor, at, crossCurrency, interchangeMinor, billed, reference });
      if (placed) holds.set(placed.reference, { ...placed, openMinor: placed.openMinor - releasedMinor });
    } else if (reference !== undefined && findTypeFacts(transType).isHeld) {
      const hold = placed ?? { transId, amountMinor: 0, openMinor: 0, at, reference, billed: undefined };
      holds.set(reference, { ...added(hold, amountMinor), billed: placed ? undefined : billed });
    } else if (placed && releasing.has(transType)) {
      holds.set(placed.reference, added(placed, -amountMinor));
    }
  }
  return { holds: [...holds.values()].filter(({ amountMinor }) => amountMinor > 0), settlements };
}

type PlacedHold = HeldAmount & { readonly reference: string; readonly openMinor: number };

const added = (hold: PlacedHold, minor: number): PlacedHold => ({
  ...hold,
  amountMinor: hold.amountMinor + minor,
  openMinor: hold.openMinor + minor,
});

function billedBy({ srcAmountMinor, srcCurrency }: Transaction): HeldAmount["billed"] {
  if (srcAmountMinor === undefined || srcCurrency === undefined) return undefined;
  return { amountMinor: srcAmountMinor, currency: srcCurrency };
}

/** A Card's cycle has no more: each page of the day reads it again. */
const mostRecords = 5_000;

/**
 * Scores the specification's rules, by what a receiver knows at the end of the day, against the
 * authorization that each settlement names.
 */
export async function scoreMatching(day: ReportDay, tally: Tally, posted: readonly Posted[]): Promise<void> {
  const purchases = posted.filter(
    ({ transaction }) => transaction.transType === TransactionType.authorization_clearing,
  );
  const byCard = Map.groupBy(purchases, ({ transaction }) => transaction.cardId);
  const span = { since: new Date(day.start.getTime() - daysBeforeCycle * dayMs), until: day.end };
  await inLanes([...byCard], async ([cardId, ofCard]) => {
    const cycle = await readCycle(day.programId, cardId, day.currency, span, mostRecords);
    if (!cycle) {
      tally.matching.unscored += ofCard.length;
      return;
    }
    const { holds, settlements } = cycle;
    const ids = new Set(ofCard.map(({ transaction }) => transaction.transId));
    scoreCard(
      tally.matching,
      holds,
      settlements,
      settlements.filter(({ transId }) => ids.has(transId)),
    );
  });
}

/** Scores some of the settlements of a Card's cycle. */
export function scoreCard(
  score: Tally["matching"],
  holds: readonly HeldAmount[],
  settlements: readonly SettledAmount[],
  scored: readonly SettledAmount[],
): void {
  const { matches } = matchHolds(holds, settlements);
  const matched = new Map(matches.map(({ hold, settlement }) => [settlement, hold]));
  const owned = new Map(holds.map((hold) => [hold.reference, hold]));
  const taken = new Map(matches.map(({ hold, settlement }) => [hold, settlement]));
  for (const settlement of scored) {
    const guess = matched.get(settlement);
    const truth = settlement.reference === undefined ? undefined : owned.get(settlement.reference);
    if (truth) score.settlements += 1;
    if (guess && guess === truth) {
      score.correct += 1;
      continue;
    }
    if (guess) {
      score.wrong += 1;
      score.wrongAmount += settlement.amountMinor;
    }
    if (!truth) continue;
    const rule = findRule(settlement, truth, taken.get(truth));
    const before = score.lost[rule] ?? { count: 0, amount: 0, difference: 0 };
    score.lost[rule] = {
      count: before.count + 1,
      amount: before.amount + settlement.amountMinor,
      difference: before.difference + Math.abs(settlement.amountMinor - truth.amountMinor),
    };
  }
}

function findRule(settlement: SettledAmount, hold: HeldAmount, takenBy: SettledAmount | undefined) {
  const isTooLate = getDay(settlement) - getDay(hold) > maximumDays;
  if (isTooLate || !isAfter(settlement, hold)) return "days";
  // A part of an authorization has an amount of its own: only the last one could have the hold's.
  if (!hasSameAmount(settlement, hold)) return settlement.crossCurrency ? "amount_cross_currency" : "amount";
  return takenBy?.reference === settlement.reference ? "one_settlement" : "closest";
}
