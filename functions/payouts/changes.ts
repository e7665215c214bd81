import type { Change } from "../../shared/changes/change.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { ErrorCode } from "../../shared/contract/errors.ts";
import type { PayoutView } from "../../shared/contract/payouts.ts";
import { payoutApproval } from "../../shared/payments/approve-payout.ts";
import { payoutCancellation, payoutDecline } from "../../shared/payments/end-payout.ts";
import type { PayoutRequest } from "../../shared/payments/payout-request.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import type { AuditAction } from "../../shared/tenancy/audit-log.ts";
import { auditing } from "./auditing.ts";

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const cancelPayout: Operations["POST /payouts/{payoutId}/cancel"] = (request) =>
  change(payoutCancellation, request, "payout.cancel");

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; SECOND_PERSON; EXTERNAL_ACCOUNT_NOT_VERIFIED */
export const approvePayout: Operations["POST /payouts/{payoutId}/approve"] = (request) =>
  change(payoutApproval, request, "payout.approve");

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const declinePayout: Operations["POST /payouts/{payoutId}/decline"] = (request) =>
  change(payoutDecline, request, "payout.decline");

type Request = Parameters<Operations["POST /payouts/{payoutId}/cancel"]>[0];

function change<Found extends object>(
  made: Change<PayoutRequest, Found, PayoutView, ErrorCode>,
  request: Request,
  action: AuditAction,
): Promise<PayoutView> {
  const { scope, path, idempotency } = request;
  const { programId, apiUserId: by } = scope;
  return answerRequest(made, { programId, ...path, by, audit: auditing(request, action) }, idempotency);
}
