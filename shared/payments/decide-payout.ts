import { type Change, defineChange, type StepRefusal, unread, whenFailed } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { externalAccounts, isUsable } from "../external-accounts/external-account.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { approvalEnds, type Payout, payoutSteps, release } from "./payout.ts";
import { type FoundPayout, type PayoutRequest, payoutReads } from "./payout-request.ts";

/** A second person approves a payout in time. Its Wallet holds the money already. */
export const payoutApproval = defineChange<
  PayoutRequest,
  PayoutView,
  StepRefusal | "SECOND_PERSON" | "EXTERNAL_ACCOUNT_NOT_VERIFIED"
>()({
  reads: (request) => ({
    ...payoutReads(request),
    externalAccount: whenFailed((stored) => externalAccounts.parse(stored)),
  }),
  decide: ({ by, audit }, { payout, externalAccount }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (at >= approvalEnds(payout)) return illegalStatus("expired", ["awaiting_approval"]);
    const { programId, externalAccountId, createdBy } = payout;
    if (payout.status === "awaiting_approval" && createdBy === by) return { rejected: "SECOND_PERSON" };
    const isFailed = externalAccount !== unread && !(externalAccount && isUsable(externalAccount));
    const decided = payoutSteps.decideStep(payout, {
      ...{ trigger: "approve", by, at, audit },
      set: { approvedBy: by },
      writes: [externalAccounts.at(programId, externalAccountId).check({ status: "verified" })],
    });
    return "answer" in decided && isFailed ? { rejected: "EXTERNAL_ACCOUNT_NOT_VERIFIED" } : decided;
  },
});

type Ending<Request extends Pick<PayoutRequest, "programId" | "payoutId">> = Change<
  Request,
  FoundPayout,
  PayoutView,
  StepRefusal
>;

/** Ends a payout that no file has. Of cancellation, approval and file one wins. */
export const payoutCancellation: Ending<PayoutRequest> = {
  reads: payoutReads,
  decide: (request, { payout }, at) => end(payout, "cancel", request, at),
};

/** A payout is not approved. Who created it may decline it too. */
export const payoutDecline: Ending<PayoutRequest> = {
  reads: payoutReads,
  decide: (request, { payout }, at) => end(payout, "decline", request, at),
};

/** A payout was not approved within 72 hours. Of this and an approval one wins. */
export const payoutExpiry: Ending<Pick<PayoutRequest, "programId" | "payoutId">> = {
  reads: payoutReads,
  decide: (_deadline, { payout }, at) => {
    if (payout && at < approvalEnds(payout)) return { rejected: "ILLEGAL_TRANSITION" };
    return end(payout, "expire", { by: "platform" }, at);
  },
};

function end(
  payout: Payout | undefined,
  trigger: "cancel" | "decline" | "expire",
  { by, audit }: Pick<PayoutRequest, "by" | "audit">,
  at: Date,
) {
  if (!payout) return { rejected: "NOT_FOUND" } as const;
  const set = trigger === "cancel" ? {} : ({ declineReason: "NOT_APPROVED" } as const);
  return payoutSteps.decideStep(payout, { trigger, by, at, set, moved: release(payout, at), audit });
}
