import { timestamp } from "../platform/clock.ts";
import { known, type OutcomeChange } from "./outcome.ts";
import { tellOfRejected } from "./payment-step.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { comeBack, payoutSteps } from "./payout-step.ts";

/**
 * What was paid comes back, once, never more than it, and whenever it comes. One that comes before
 * the debit is as if completed first: the fee stays. Of another amount, the operator is told.
 */
export const payoutReturn: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { amountMinor: returnedMinor = payout.amountMinor, reasonCode } = outcome;
    if (returnedMinor > payout.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    if (payout.status === "returned") {
      if (returnedMinor === payout.returnedMinor || payout.alsoReturnedMinor !== undefined)
        return known(payout);
      const reason = "A payout that has come back comes back with another amount. Nothing is booked:";
      return payoutSteps.keep(payout, outcome, { alsoReturnedMinor: returnedMinor }, reason);
    }
    const returnedAt = timestamp(at);
    return payoutSteps.decideOutcome(payout, outcome, {
      ...{ trigger: "return", at },
      set: {
        ...{ returnedAt, returnedMinor },
        ...(payout.status !== "completed" && { completedAt: returnedAt }),
        ...(reasonCode !== undefined && { returnedCode: reasonCode }),
      },
      moved: comeBack(payout, returnedMinor, at),
      writes: tellOfRejected(payout, outcome, "A payout came back"),
    });
  },
};
