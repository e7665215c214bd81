import { accountReads, type FoundAccount, type OutcomeChange, suspending } from "./outcome.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { payoutSteps, release } from "./payout-step.ts";

/** The bank does not pay: the Wallet has amount and fee again. */
export const payoutRejection: OutcomeChange<FoundPayout & FoundAccount> = {
  reads: (outcome) => ({ ...readPayout(outcome), ...accountReads }),
  decide: (outcome, { payout, ...found }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    const decided = payoutSteps.decideRejection(payout, outcome, at, { moved: release(payout, at) });
    return suspending(outcome.reasonCode, found, decided);
  },
};
