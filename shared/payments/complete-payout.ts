import { timestamp } from "../platform/clock.ts";
import { known, type OutcomeChange, tellOperator } from "./outcome.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { decideOutcome, leave, wasSent } from "./payout-step.ts";

/**
 * The money has left the bank. After a rejection it is booked all the same, also below zero. After
 * a return, or said again, it moves nothing.
 */
export const payoutCompletion: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (!wasSent(payout)) return { rejected: "NOT_SENT" };
    if (payout.status === "completed" || payout.status === "returned") return known(payout);
    const reason = "A payout left the bank that the bank had rejected. It is booked:";
    return decideOutcome(payout, outcome, {
      ...{ trigger: "complete", at },
      set: { completedAt: timestamp(at) },
      entries: leave(payout, at),
      writes: payout.status === "rejected" ? [tellOperator(payout, outcome, reason)] : [],
    });
  },
};
