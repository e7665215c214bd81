import { timestamp } from "../platform/clock.ts";
import { known, type OutcomeChange, tellOperator } from "./outcome.ts";
import { type Payout, payouts } from "./payout.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { comeBack, decideOutcome, leave, wasSent } from "./payout-step.ts";

/**
 * What was paid comes back, once, never more than it, and whenever it comes. One that comes before
 * the debit is as if completed first: the fee stays.
 */
export const payoutReturn: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (!wasSent(payout)) return { rejected: "NOT_SENT" };
    const { amountMinor: returnedMinor = payout.amountMinor, reasonCode } = outcome;
    if (returnedMinor > payout.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    if (payout.status === "returned") return returnedAgain(payout, outcome, returnedMinor);
    const returnedAt = timestamp(at);
    const isBooked = payout.status === "completed";
    const reason = "A payout came back that the bank had rejected. It is booked:";
    return decideOutcome(payout, outcome, {
      ...{ trigger: "return", at },
      set: {
        ...{ returnedAt, returnedMinor },
        ...(!isBooked && { completedAt: returnedAt }),
        ...(reasonCode !== undefined && { returnedCode: reasonCode }),
      },
      entries: [...(isBooked ? [] : leave(payout, at)), comeBack(payout, returnedMinor, at)],
      writes: payout.status === "rejected" ? [tellOperator(payout, outcome, reason)] : [],
    });
  },
};

/** It is booked once. Of another amount, the operator is told. */
function returnedAgain(
  payout: Payout,
  outcome: Parameters<typeof tellOperator>[1],
  alsoReturnedMinor: number,
) {
  const { programId, paymentId, status, returnedMinor, alsoReturnedMinor: before } = payout;
  if (alsoReturnedMinor === returnedMinor || before !== undefined) return known(payout);
  const set = { alsoReturnedMinor };
  const reason = "A payout that has come back comes back with another amount. Nothing is booked:";
  return {
    accounts: [],
    writes: [
      payouts.at(programId, paymentId).update({ set }, { status, alsoReturnedMinor: undefined }),
      tellOperator(payout, outcome, reason),
    ],
    answer: { result: "kept", payment: { ...payout, ...set } } as const,
  };
}
