import { getCard } from "../../shared/domain/cards/card.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { type HeldAmount, isWithin, matchHolds, readCycle, type SettledAmount } from "./match-holds.ts";
import type { CardOperations } from "./operations.ts";

const dayMs = 86_400_000;
/** A hold from before the cycle may settle in it or still be open; every hold expires within this time. */
const daysBefore = 8;
const cycleToleranceBasisPoints = 250;

/**
 * Matches the holds and settlements of a Card's latest cycle, and checks the unmatched holds against the
 * balances. Minor units; for monitoring only.
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
        hold: holdLine(hold),
        settlement: settlementLine(settlement),
        difference: differenceMinor,
        varianceBasisPoints,
        flagged,
      })),
    unmatchedHolds: matching.unmatchedHolds.map(holdLine),
    unmatchedSettlements: matching.unmatchedSettlements.filter(({ at }) => at >= start).map(settlementLine),
    cycleCheck: cycleCheck(
      matching.unmatchedHolds.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      card.pendingDepositMinor,
      card.ledgerMinor - card.availableMinor,
    ),
  };
};

function holdLine({ transId, amountMinor, at }: HeldAmount) {
  return { transId, amount: amountMinor, holdDate: at };
}

function settlementLine({ transId, amountMinor, at, crossCurrency }: SettledAmount) {
  return { transId, amount: amountMinor, transDate: at, crossCurrency };
}

function cycleCheck(unmatchedHolds: number, pendingDeposits: number, ledgerLessAvailable: number) {
  const explained = unmatchedHolds + pendingDeposits;
  return {
    unmatchedHolds,
    pendingDeposits,
    ledgerLessAvailable,
    difference: ledgerLessAvailable - explained,
    withinTolerance: isWithin(explained, ledgerLessAvailable, cycleToleranceBasisPoints),
  };
}
