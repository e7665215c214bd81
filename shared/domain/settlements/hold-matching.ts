import { type Currency, TransactionType } from "../../contract/enums.ts";
import { earliestId } from "../../platform/id.ts";
import { readItems, toPartitionQuery } from "../../platform/table/query.ts";
import { numericCurrency, type Transaction, transactions } from "../transactions/transaction.ts";

const dayMs = 86_400_000;
/** A hold from before a cycle may settle in it: every hold expires within this time. */
export const daysBeforeCycle = 8;

export interface HeldAmount {
  readonly transId: string;
  readonly amountMinor: number;
  readonly at: string;
  /** The authorization that placed or released it. A receiver of notifications does not see it. */
  readonly reference?: string | undefined;
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

/** A hold is settled at most so many days before or after it. */
export const maximumDays = 3;

const sameCurrencyBasisPoints = 50;
const crossCurrencyBasisPoints = 250;
const flaggedAboveBasisPoints = 200;
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
export function isWithin(leftMinor: number, rightMinor: number, basisPoints: number): boolean {
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
export const getDay = ({ at }: HeldAmount) => Math.floor(Date.parse(at) / dayMs);

function daysAround(settlement: SettledAmount): number[] {
  return Array.from({ length: 2 * maximumDays + 1 }, (_, index) => getDay(settlement) - maximumDays + index);
}

export function getTolerance({ crossCurrency }: Pick<SettledAmount, "crossCurrency">): number {
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

export interface Cycle {
  readonly holds: HeldAmount[];
  readonly settlements: SettledAmount[];
}

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
): Promise<Cycle | undefined> {
  const holds = new Map<string, HeldAmount>();
  const settlements: SettledAmount[] = [];
  let records = 0;
  for await (const transaction of transactionsWithin(programId, cardId, since, until)) {
    records += 1;
    if (records > mostRecords) return undefined;
    const { transType, transId, amountMinor, transDate: at, authorizationId: reference } = transaction;
    if (transType === TransactionType.authorization_clearing) {
      const { srcCurrency = numericCurrency[currency] } = transaction;
      const crossCurrency = srcCurrency !== numericCurrency[currency];
      settlements.push({ transId, amountMinor, at, crossCurrency, reference });
    } else if (reference !== undefined && placing.has(transType)) {
      const placed = holds.get(reference) ?? { transId, amountMinor: 0, at, reference };
      holds.set(reference, { ...placed, amountMinor: placed.amountMinor + amountMinor });
    } else if (reference !== undefined && releasing.has(transType)) {
      const placed = holds.get(reference);
      if (placed) holds.set(reference, { ...placed, amountMinor: placed.amountMinor - amountMinor });
    }
  }
  return { holds: [...holds.values()].filter(({ amountMinor }) => amountMinor > 0), settlements };
}

/** Oldest first: ids sort by time. */
async function* transactionsWithin(
  programId: string,
  cardId: string,
  since: Date,
  until: Date | undefined,
): AsyncGenerator<Transaction, void> {
  const first = transactions.at(programId, cardId, earliestId("transaction", since)).key;
  const [{ sk: prefix }] = transactions.records(programId, cardId).partitions;
  const last = until
    ? transactions.at(programId, cardId, earliestId("transaction", until)).key.sk
    : `${prefix}~`;
  const query = toPartitionQuery(first.pk, { first: first.sk, last });
  for await (const item of readItems(query)) yield transactions.parse(item);
}
