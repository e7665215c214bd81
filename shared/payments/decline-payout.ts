import type { Change } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { type FoundPayout, type PayoutRequest, payoutReads } from "./payout-request.ts";
import { decideStep, release } from "./payout-step.ts";

/** A payout is not approved. Who created it may decline it too. */
export const payoutDecline: Change<
  PayoutRequest,
  FoundPayout,
  PayoutView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: payoutReads,
  decide: ({ by, audit }, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    const set = { declineReason: "NOT_APPROVED" } as const;
    return decideStep(payout, { trigger: "decline", by, at, set, entries: [release(payout, at)], audit });
  },
};
