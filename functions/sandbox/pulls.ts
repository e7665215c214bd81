import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import { toPullView } from "../../shared/payments/pull.ts";
import { requirePull } from "../../shared/payments/pull-step.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { sendFirst } from "./send-payment.ts";

/**
 * What the bank says, however often and in whichever order. A pending pull is sent first.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if it was cancelled or declined; VALIDATION_FAILED
 * for another amount than the pull's
 */
export const reportPull: Operations["POST /pulls/{pullId}/outcome"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { pullId: paymentId } = path;
  const pull = await requirePull(programId, paymentId);
  const { status, amount = pull.amountMinor, reasonCode } = body;
  if (amount !== pull.amountMinor) {
    const message = "must be the pull's amount";
    throw new ApiError("VALIDATION_FAILED", [{ path: "body.amount", code: "other_amount", message }]);
  }
  await sendFirst(pull);
  const outcome = await applyOutcome({ programId, paymentId, kind: "pull", status, reasonCode });
  if (outcome.result === "refused") throw new ApiError("ILLEGAL_TRANSITION");
  return toPullView(await requirePull(programId, paymentId));
};
