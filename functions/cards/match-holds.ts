import { type Currency, TransactionType } from "../../shared/contract/enums.ts";
import {
  numericCurrency,
  type Transaction,
  transactions,
} from "../../shared/domain/transactions/transaction.ts";
import { earliestId } from "../../shared/platform/id.ts";
import { readPartition } from "../../shared/platform/table/read-partition.ts";

/**
 * Pairs the holds and settlements of one card as a receiver of its notifications could, who sees no common key: for
 * monitoring. Amounts in minor units.
 */

export interface HeldAmount {
  readonly transId: string;
  readonly amountMinor: number;
  readonly at: string;
}

export interface SettledAmount extends HeldAmount {
  /** The merchant billed in another currency than the card's. */
  readonly crossCurrency: boolean;
}

interface Match<H extends HeldAmount, S extends SettledAmount> {
  readonly hold: H;
  readonly settlement: S;
  /** Settled less held. */
  readonly differenceMinor: number;
  readonly varianceBasisPoints: number;
  /** The variance is above 2 %. */
  readonly flagged: boolean;
}

export interface Matching<H extends HeldAmount, S extends SettledAmount> {
  readonly matches: Match<H, S>[];
  readonly unmatchedHolds: H[];
  readonly unmatchedSettlements: S[];
}

const sameCurrencyBasisPoints = 50;
const crossCurrencyBasisPoints = 250;
const flaggedAboveBasisPoints = 200;
const maximumDays = 3;
const dayMs = 86_400_000;

/**
 * Matches each hold with at most one settlement, at most three days and 0.5 % apart; 2.5 % if the merchant billed in
 * another currency. The closest amount wins, then the closest date.
 */
export function matchHolds<H extends HeldAmount, S extends SettledAmount>(
  holds: readonly H[],
  settlements: readonly S[],
): Matching<H, S> {
  const matchedHolds = new Set<H>();
  const matchedSettlements = new Set<S>();
  const matches: Match<H, S>[] = [];
  for (const { hold, settlement } of candidates(holds, settlements)) {
    if (matchedHolds.has(hold) || matchedSettlements.has(settlement)) continue;
    matchedHolds.add(hold);
    matchedSettlements.add(settlement);
    matches.push(matchOf(hold, settlement));
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
function candidates<H extends HeldAmount, S extends SettledAmount>(
  holds: readonly H[],
  settlements: readonly S[],
): { hold: H; settlement: S }[] {
  const byDay = Map.groupBy(holds, dayOf);
  const pairs = settlements.flatMap((settlement) =>
    daysAround(settlement)
      .flatMap((day) => byDay.get(day) ?? [])
      .filter((hold) => isWithin(settlement.amountMinor, hold.amountMinor, toleranceOf(settlement)))
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

interface Pair {
  readonly hold: HeldAmount;
  readonly settlement: SettledAmount;
}

const amountBetween = ({ hold, settlement }: Pair) => Math.abs(settlement.amountMinor - hold.amountMinor);
const timeBetween = ({ hold, settlement }: Pair) => Math.abs(Date.parse(settlement.at) - Date.parse(hold.at));

function byTime(left: HeldAmount, right: HeldAmount): number {
  return Date.parse(left.at) - Date.parse(right.at) || (left.transId < right.transId ? -1 : 1);
}

/** Days are UTC's, as the notifications' dates are. */
const dayOf = ({ at }: HeldAmount) => Math.floor(Date.parse(at) / dayMs);

function daysAround(settlement: SettledAmount): number[] {
  return Array.from({ length: 2 * maximumDays + 1 }, (_, index) => dayOf(settlement) - maximumDays + index);
}

function toleranceOf({ crossCurrency }: SettledAmount): number {
  return crossCurrency ? crossCurrencyBasisPoints : sameCurrencyBasisPoints;
}

function matchOf<H extends HeldAmount, S extends SettledAmount>(hold: H, settlement: S): Match<H, S> {
  const differenceMinor = settlement.amountMinor - hold.amountMinor;
  return {
    hold,
    settlement,
    differenceMinor,
    varianceBasisPoints: Math.round((Math.abs(differenceMinor) * 10_000) / hold.amountMinor),
    flagged: !isWithin(settlement.amountMinor, hold.amountMinor, flaggedAboveBasisPoints),
  };
}

interface CardCycle {
  readonly holds: HeldAmount[];
  readonly settlements: SettledAmount[];
}

const placing: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization,
  TransactionType.authorization_advice,
  TransactionType.authorization_incremental,
  TransactionType.authorization_standin,
]);
const releasing: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_reversal,
  TransactionType.authorization_reversal_issuerexpiration,
  TransactionType.authorizationexpiry,
]);

/**
 * A hold is the amount authorized under one reference, with increments and advices, less reversals and
 * expiries; empty ones are left out.
 */
export async function readCycle(
  programId: string,
  cardId: string,
  currency: Currency,
  since: Date,
): Promise<CardCycle> {
  const holds = new Map<string, HeldAmount>();
  const settlements: SettledAmount[] = [];
  for await (const transaction of transactionsSince(programId, cardId, since)) {
    const { transType, transId, amountMinor, transDate: at, authorizationId: reference } = transaction;
    if (transType === TransactionType.authorization_clearing) {
      const { srcCurrency = numericCurrency[currency] } = transaction;
      const crossCurrency = srcCurrency !== numericCurrency[currency];
      settlements.push({ transId, amountMinor, at, crossCurrency });
    } else if (reference !== undefined && placing.has(transType)) {
      const placed = holds.get(reference) ?? { transId, amountMinor: 0, at };
      holds.set(reference, { ...placed, amountMinor: placed.amountMinor + amountMinor });
    } else if (reference !== undefined && releasing.has(transType)) {
      const placed = holds.get(reference);
      if (placed) holds.set(reference, { ...placed, amountMinor: placed.amountMinor - amountMinor });
    }
  }
  return { holds: [...holds.values()].filter(({ amountMinor }) => amountMinor > 0), settlements };
}

/** Oldest first: ids sort by time. */
async function* transactionsSince(
  programId: string,
  cardId: string,
  since: Date,
): AsyncGenerator<Transaction, void> {
  const first = transactions.at(programId, cardId, earliestId("transaction", since)).key;
  const [{ sk: prefix }] = transactions.records(programId, cardId).partitions;
  for await (const items of readPartition(first.pk, { first: first.sk, last: `${prefix}~` })) {
    yield* items.map((item) => transactions.parse(item));
  }
}
