import { timestamp } from "../platform/clock.ts";
import { known, type OutcomeChange } from "./outcome.ts";
import { tellOfRejected } from "./payment-step.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { leave, payoutSteps } from "./payout-step.ts";

/**
 * The money has left the bank. After a rejection it is booked all the same, also below zero. After
 * a return, or said again, it moves nothing.
 */
export const payoutCompletion: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (payout.status === "completed" || payout.status === "returned") return known(payout);
    return payoutSteps.decideOutcome(payout, outcome, {
      ...{ trigger: "complete", at },
      set: { completedAt: timestamp(at) },
      moved: leave(payout, at),
      writes: tellOfRejected(payout, outcome, "A payout left the bank"),
    });
  },
};
