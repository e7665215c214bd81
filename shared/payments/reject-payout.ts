import { timestamp } from "../platform/clock.ts";
import { known, type OutcomeChange, tellOperator } from "./outcome.ts";
import { payouts } from "./payout.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { decideOutcome, release, wasSent } from "./payout-step.ts";

/**
 * The bank does not pay: the Wallet has amount and fee again. What has left the bank comes back by
 * an entry or a return alone: then this moves nothing, and the operator is told.
 */
export const payoutRejection: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (!wasSent(payout)) return { rejected: "NOT_SENT" };
    if (payout.rejectedAt !== undefined) return known(payout);
    const { programId, paymentId, status } = payout;
    const rejectedAt = timestamp(at);
    const { reasonCode: rejectedCode } = outcome;
    const set = { rejectedAt, ...(rejectedCode !== undefined && { rejectedCode }) };
    if (status === "sent")
      return decideOutcome(payout, outcome, { trigger: "reject", at, set, entries: [release(payout, at)] });
    const reason = `The bank rejects a payout that is ${status}. Nothing is booked:`;
    return {
      accounts: [],
      writes: [
        payouts.at(programId, paymentId).update({ set }, { status, rejectedAt: undefined }),
        tellOperator(payout, outcome, reason),
      ],
      answer: { result: "kept", payment: { ...payout, ...set } },
    };
  },
};
