import { getCard } from "../../shared/cards/card.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import {
  daysBeforeCycle,
  type HeldAmount,
  isWithin,
  matchHolds,
  readCycle,
  type SettledAmount,
} from "../../shared/settlements/hold-matching.ts";

const cycleToleranceBasisPoints = 250;
/** All pairs of equal amounts are compared. */
const mostRecords = 20_000;

/**
 * Matches the holds and settlements of a Card's latest cycle, and checks the unmatched holds
 * against the balances. Minor units; for monitoring only.
 */
export const matchCardHolds: Operations["GET /cards/{cardId}/hold-matching"] = async ({
  scope: { programId },
  path: { cardId },
  query: { cycleDays },
}) => {
  const card = await getCard(programId, cardId);
  const end = now();
  const start = timestamp(new Date(end.getTime() - cycleDays * dayMs));
  const since = new Date(end.getTime() - (cycleDays + daysBeforeCycle) * dayMs);
  const cycle = await readCycle(programId, cardId, card.currency, { since }, mostRecords);
  if (!cycle)
    throw invalid("query.cycleDays", "too_big", `must have at most ${mostRecords} records of the Card`);
  const { holds, settlements } = cycle;
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
      // Not what the platform has released meanwhile, by a clearing that did not match.
      matching.unmatchedHolds.reduce((sum, { openMinor = 0 }) => sum + openMinor, 0),
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
