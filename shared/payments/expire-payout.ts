import type { Change } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { approvalEnds } from "./payout.ts";
import { type FoundPayout, type PayoutRequest, payoutReads } from "./payout-request.ts";
import { decideStep, release } from "./payout-step.ts";

/** A payout was not approved within 72 hours. Of this and an approval one wins. */
export const payoutExpiry: Change<
  Pick<PayoutRequest, "programId" | "payoutId">,
  FoundPayout,
  PayoutView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: payoutReads,
  decide: (_deadline, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (at < approvalEnds(payout)) return { rejected: "ILLEGAL_TRANSITION" };
    const set = { declineReason: "NOT_APPROVED" } as const;
    return decideStep(payout, {
      ...{ trigger: "expire", by: "platform", at, set },
      entries: [release(payout, at)],
    });
  },
};
