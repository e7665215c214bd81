import { answerRequest } from "../../shared/changes/execute.ts";
import { listHistory } from "../../shared/lists/list-page.ts";
import { pullCreation } from "../../shared/payments/create-pull.ts";
import { newPaymentId, paymentEvents } from "../../shared/payments/payment.ts";
import { pulls, toPullEventView, toPullView } from "../../shared/payments/pull.ts";
import { pullCancellation, requirePull } from "../../shared/payments/pull-step.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditing } from "./auditing.ts";
import { listPayments } from "./payouts.ts";

export const listPulls: Operations["GET /pulls"] = ({ scope, query }) =>
  listPayments("pull", scope.programId, query, (stored) => toPullView(pulls.parse(stored)));

/** @throws ApiError NOT_FOUND */
export const viewPull: Operations["GET /pulls/{pullId}"] = async ({ scope, path }) =>
  toPullView(await requirePull(scope.programId, path.pullId));

/** @throws ApiError NOT_FOUND */
export const listPullEvents: Operations["GET /pulls/{pullId}/events"] = async ({ scope, path, query }) => {
  await requirePull(scope.programId, path.pullId);
  return listHistory(paymentEvents, [scope.programId, path.pullId], toPullEventView, query);
};

/**
 * Moves nothing before the bank has collected it; above a limit, it records a decline (200).
 * @throws ApiError NOT_FOUND; EXTERNAL_ACCOUNT_NOT_VERIFIED; MANDATE_CANCELLED;
 * EXTERNAL_ID_EXISTS; IDEMPOTENCY_MISMATCH
 */
export const createPull: Operations["POST /pulls"] = (request) => {
  const { scope, body, idempotency } = request;
  const { programId, apiUserId: by } = scope;
  const audit = auditing(request, "pull.create");
  const made = { programId, pullId: newPaymentId("pull"), body, by, audit };
  return answerRequest(pullCreation, made, idempotency);
};

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const cancelPull: Operations["POST /pulls/{pullId}/cancel"] = (request) => {
  const { scope, path, idempotency } = request;
  const { programId, apiUserId: by } = scope;
  const audit = auditing(request, "pull.cancel");
  return answerRequest(pullCancellation, { programId, ...path, by, audit }, idempotency);
};
