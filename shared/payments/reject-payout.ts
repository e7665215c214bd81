import type { OutcomeChange } from "./outcome.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { payoutSteps, release } from "./payout-step.ts";

/** The bank does not pay: the Wallet has amount and fee again. */
export const payoutRejection: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    return payoutSteps.decideRejection(payout, outcome, at, { moved: release(payout, at) });
  },
};
