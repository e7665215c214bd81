/**
 * Which holds and settlements of one card seem to belong together, by what their notifications alone tell: for monitoring, since the two share no
 * key outside. Pure; amounts in minor units.
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
 * Matches each hold with at most one settlement: at most 0.5 % apart, 2.5 % where the merchant billed in another currency, and at most three days.
 * Of several candidates the closest amount wins, then the closest date.
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

/** Whether two amounts are so close, in hundredths of a percent of the second. */
export function isWithin(leftMinor: number, rightMinor: number, basisPoints: number): boolean {
  return Math.abs(leftMinor - rightMinor) * 10_000 <= Math.abs(rightMinor) * basisPoints;
}

/** The pairs that could be, the likeliest first. */
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
