import type { Change } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { ErrorCode } from "../../shared/contract/errors.ts";
import type { PayoutView } from "../../shared/contract/payouts.ts";
import { payoutCreation } from "../../shared/payments/create-payout.ts";
import { payoutApproval, payoutCancellation, payoutDecline } from "../../shared/payments/decide-payout.ts";
import { newPaymentId } from "../../shared/payments/payment.ts";
import type { PayoutRequest } from "../../shared/payments/payout-request.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import type { AuditAction } from "../../shared/tenancy/audit-log.ts";
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

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const cancelPayout: Operations["POST /payouts/{payoutId}/cancel"] = (request) =>
  change(payoutCancellation, request, "payout.cancel");

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; SECOND_PERSON; EXTERNAL_ACCOUNT_NOT_VERIFIED */
export const approvePayout: Operations["POST /payouts/{payoutId}/approve"] = (request) =>
  change(payoutApproval, request, "payout.approve");

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const declinePayout: Operations["POST /payouts/{payoutId}/decline"] = (request) =>
  change(payoutDecline, request, "payout.decline");

function change<Found extends object>(
  made: Change<PayoutRequest, Found, PayoutView, ErrorCode>,
  request: Parameters<Operations["POST /payouts/{payoutId}/cancel"]>[0],
  action: AuditAction,
): Promise<PayoutView> {
  const { scope, path, idempotency } = request;
  const { programId, apiUserId: by } = scope;
  return answerRequest(made, { programId, ...path, by, audit: auditing(request, action) }, idempotency);
}
