import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import { toPayoutView } from "../../shared/payments/payout.ts";
import { requirePayout } from "../../shared/payments/payout-request.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { sendFirst } from "./send-payment.ts";

/**
 * What the bank says, however often and in whichever order. A pending payout is sent first.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if it was never sent; VALIDATION_FAILED if more
 * would come back than was paid
 */
export const reportPayout: Operations["POST /payouts/{payoutId}/outcome"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { payoutId: paymentId } = path;
  const found = await requirePayout(programId, paymentId);
  const { kind } = found;
  await sendFirst(found);
  const { status, amount: amountMinor, reasonCode } = body;
  const outcome = await applyOutcome({ programId, paymentId, kind, status, amountMinor, reasonCode });
  if (outcome.result === "refused" && outcome.reason === "AMOUNT_TOO_LARGE") {
    const message = "must not be more than the payout's amount";
    throw new ApiError("VALIDATION_FAILED", [{ path: "body.amount", code: "too_big", message }]);
  }
  if (outcome.result === "refused") throw new ApiError("ILLEGAL_TRANSITION");
  return toPayoutView(await requirePayout(programId, paymentId));
};
