import { TransactionType } from "../contract/enums.ts";
import { inLanes } from "../platform/in-lanes.ts";
import type { ReportDay } from "./compare-files.ts";
import {
  daysBeforeCycle,
  getDay,
  type HeldAmount,
  hasSameAmount,
  isAfter,
  matchHolds,
  maximumDays,
  readCycle,
  type SettledAmount,
} from "./hold-matching.ts";
import type { Posted } from "./posted.ts";
import type { Tally } from "./tally.ts";

const dayMs = 86_400_000;
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
