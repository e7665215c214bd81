import type { Change } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { type FoundPayout, type PayoutRequest, payoutReads } from "./payout-request.ts";
import { decideStep, release } from "./payout-step.ts";

/** Ends a payout that no file has. Of cancellation, approval and file one wins. */
export const payoutCancellation: Change<
  PayoutRequest,
  FoundPayout,
  PayoutView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: payoutReads,
  decide: ({ by, audit }, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    return decideStep(payout, { trigger: "cancel", by, at, entries: [release(payout, at)], audit });
  },
};
