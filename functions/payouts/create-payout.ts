import { answerRequest } from "../../shared/changes/execute.ts";
import { payoutCreation } from "../../shared/payments/create-payout.ts";
import { newPaymentId } from "../../shared/payments/payment.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditing } from "./auditing.ts";

/**
 * Holds amount and fee, or records a decline (200, nothing is held).
 * @throws ApiError NOT_FOUND; EXTERNAL_ACCOUNT_NOT_VERIFIED; EXTERNAL_ID_EXISTS;
 * IDEMPOTENCY_MISMATCH
 */
export const createPayout: Operations["POST /payouts"] = (request) => {
  const { scope, body, idempotency } = request;
  const { programId, apiUserId: by } = scope;
  const audit = auditing(request, "payout.create");
  return answerRequest(
    payoutCreation,
    { programId, payoutId: newPaymentId("payout"), body, by, audit },
    idempotency,
  );
};
