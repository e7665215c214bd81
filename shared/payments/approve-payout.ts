import { type Change, type Unread, unread, whenFailed } from "../changes/change.ts";
import type { PayoutView } from "../contract/payouts.ts";
import { type ExternalAccount, externalAccounts, isUsable } from "../external-accounts/external-account.ts";
import { approvalEnds } from "./payout.ts";
import { type FoundPayout, type PayoutRequest, payoutReads } from "./payout-request.ts";
import { payoutSteps } from "./payout-step.ts";

interface Found extends FoundPayout {
  readonly externalAccount: ExternalAccount | undefined | Unread;
}

/** A second person approves a payout in time. Its Wallet holds the money already. */
export const payoutApproval: Change<
  PayoutRequest,
  Found,
  PayoutView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION" | "SECOND_PERSON" | "EXTERNAL_ACCOUNT_NOT_VERIFIED"
> = {
  reads: (request) => ({
    ...payoutReads(request),
    externalAccount: whenFailed((stored) => externalAccounts.parse(stored)),
  }),
  decide: ({ by, audit }, { payout, externalAccount }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (at >= approvalEnds(payout)) return { rejected: "ILLEGAL_TRANSITION" };
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
};
