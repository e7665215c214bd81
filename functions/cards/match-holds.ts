import { type Currency, TransactionType } from "../../shared/contract/enums.ts";
import { getCard } from "../../shared/domain/cards/card.ts";
import {
  numericCurrency,
  type Transaction,
  transactions,
} from "../../shared/domain/transactions/transaction.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { earliestId } from "../../shared/platform/id.ts";
import { readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import type { CardOperations } from "./operations.ts";

const dayMs = 86_400_000;
/**
 * A hold from before the cycle may settle in it or still be open; every hold expires within this
 * time.
 */
const daysBefore = 8;
const cycleToleranceBasisPoints = 250;

/**
 * Matches the holds and settlements of a Card's latest cycle, and checks the unmatched holds
 * against the balances. Minor units; for monitoring only.
 * @throws ApiError NOT_FOUND
 */
export const matchCardHolds: CardOperations["GET /cards/{cardId}/hold-matching"] = async ({
  scope: { programId },
  path: { cardId },
  query: { cycleDays },
}) => {
  const card = await getCard(programId, cardId);
  const end = now();
  const start = timestamp(new Date(end.getTime() - cycleDays * dayMs));
  const since = new Date(end.getTime() - (cycleDays + daysBefore) * dayMs);
  const { holds, settlements } = await readCycle(programId, cardId, card.currency, since);
  const matching = matchHolds(holds, settlements);
  return {
    cardId,
    currency: card.currency,
    cycleStart: start,
    cycleEnd: timestamp(end),
    matches: matching.matches
      .filter(({ settlement }) => settlement.at >= start)
      .map(({ hold, settlement, differenceMinor, varianceBasisPoints, flagged }) => ({
        hold: toHoldLine(hold),
        settlement: toSettlementLine(settlement),
        difference: differenceMinor,
        varianceBasisPoints,
        flagged,
      })),
    unmatchedHolds: matching.unmatchedHolds.map(toHoldLine),
    unmatchedSettlements: matching.unmatchedSettlements.filter(({ at }) => at >= start).map(toSettlementLine),
    cycleCheck: checkCycle(
      matching.unmatchedHolds.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      card.pendingDepositMinor,
      card.ledgerMinor - card.availableMinor,
    ),
  };
};

function toHoldLine({ transId, amountMinor, at }: HeldAmount) {
  return { transId, amount: amountMinor, holdDate: at };
}

function toSettlementLine({ transId, amountMinor, at, crossCurrency }: SettledAmount) {
  return { transId, amount: amountMinor, transDate: at, crossCurrency };
}

function checkCycle(unmatchedHolds: number, pendingDeposits: number, ledgerLessAvailable: number) {
  const explained = unmatchedHolds + pendingDeposits;
  return {
    unmatchedHolds,
    pendingDeposits,
    ledgerLessAvailable,
    difference: ledgerLessAvailable - explained,
    withinTolerance: isWithin(explained, ledgerLessAvailable, cycleToleranceBasisPoints),
  };
}

export interface HeldAmount {
  readonly transId: string;
  readonly amountMinor: number;
  readonly at: string;
}

export interface SettledAmount extends HeldAmount {
  /** The merchant billed in another currency than the card's. */
  readonly crossCurrency: boolean;
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

const sameCurrencyBasisPoints = 50;
const crossCurrencyBasisPoints = 250;
const flaggedAboveBasisPoints = 200;
const maximumDays = 3;

/**
 * Matches each hold with at most one settlement, at most three days and 0.5 % apart; 2.5 % if the
 * merchant billed in another currency. The closest amount wins, then the closest date. Uses no
 * common key, since a receiver of notifications sees none.
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
function isWithin(leftMinor: number, rightMinor: number, basisPoints: number): boolean {
  return Math.abs(leftMinor - rightMinor) * 10_000 <= Math.abs(rightMinor) * basisPoints;
}

/** The likeliest pair first. */
function findCandidates(holds: readonly HeldAmount[], settlements: readonly SettledAmount[]): Pair[] {
  const byDay = Map.groupBy(holds, getDay);
  const pairs = settlements.flatMap((settlement) =>
    daysAround(settlement)
      .flatMap((day) => byDay.get(day) ?? [])
      .filter((hold) => isWithin(settlement.amountMinor, hold.amountMinor, getTolerance(settlement)))
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

function daysAround(settlement: SettledAmount): number[] {
  return Array.from({ length: 2 * maximumDays + 1 }, (_, index) => getDay(settlement) - maximumDays + index);
}

function getTolerance({ crossCurrency }: SettledAmount): number {
  return crossCurrency ? crossCurrencyBasisPoints : sameCurrencyBasisPoints;
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
 * A hold is the amount authorized under one reference, with increments and advices, less reversals
 * and expiries; empty ones are left out.
 */
async function readCycle(
  programId: string,
  cardId: string,
  currency: Currency,
  since: Date,
): Promise<{ holds: HeldAmount[]; settlements: SettledAmount[] }> {
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
  const query = toPartitionQuery(first.pk, { first: first.sk, last: `${prefix}~` });
  for await (const item of readItems(query)) yield transactions.parse(item);
}
