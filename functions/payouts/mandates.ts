import { answerRequest } from "../../shared/changes/execute.ts";
import { readExternalAccount } from "../../shared/external-accounts/external-account.ts";
import { listHistory } from "../../shared/lists/list-page.ts";
import { mandates, toMandateView } from "../../shared/payments/mandate.ts";
import { mandateCancellation, mandateCreation } from "../../shared/payments/mandate-changes.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

type Route = "/external-accounts/{externalAccountId}/mandates";

/** @throws ApiError NOT_FOUND without the external account; IDEMPOTENCY_MISMATCH */
export const createMandate: Operations[`POST ${Route}`] = (request) => {
  const { scope, path, body, idempotency } = request;
  const { programId } = scope;
  const mandateId = newId("mandate");
  const change = { before: null, after: { status: "active" } };
  const audit = auditRequest(request, "mandate.create", mandateId, change);
  return answerRequest(mandateCreation, { programId, ...path, mandateId, body, audit }, idempotency);
};

/** @throws ApiError NOT_FOUND without the external account */
export const listMandates: Operations[`GET ${Route}`] = async ({ scope, path, query }) => {
  await readExternalAccount(scope.programId, path.externalAccountId);
  return listHistory(mandates, [scope.programId, path.externalAccountId], toMandateView, query);
};

/** @throws ApiError NOT_FOUND */
export const viewMandate: Operations[`GET ${Route}/{mandateId}`] = async ({ scope, path }) =>
  toMandateView(await mandates.at(scope.programId, path.externalAccountId, path.mandateId).require());

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const cancelMandate: Operations[`POST ${Route}/{mandateId}/cancel`] = (request) => {
  const { scope, path, idempotency } = request;
  const { programId } = scope;
  const change = { before: { status: "active" }, after: { status: "cancelled" } };
  const audit = auditRequest(request, "mandate.cancel", path.mandateId, change);
  return answerRequest(mandateCancellation, { programId, ...path, audit }, idempotency);
};
