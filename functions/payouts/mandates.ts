import { answerRequest } from "../../shared/changes/execute.ts";
import { readExternalAccount } from "../../shared/external-accounts/external-account.ts";
import { listHistory } from "../../shared/lists/history.ts";
import { mandates, toMandateView } from "../../shared/payments/mandate.ts";
import { mandateCancellation, mandateCreation } from "../../shared/payments/mandate-changes.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { type AuditAction, auditPut, toActor } from "../../shared/tenancy/audit-log.ts";
import type { AuditedRequest } from "./auditing.ts";

type Route = "/external-accounts/{externalAccountId}/mandates";

/** @throws ApiError NOT_FOUND without the external account; IDEMPOTENCY_MISMATCH */
export const createMandate: Operations[`POST ${Route}`] = (request) => {
  const { scope, path, body, idempotency } = request;
  const { programId } = scope;
  const mandateId = newId("mandate");
  const audit = auditing(request, "mandate.create", mandateId);
  return answerRequest(mandateCreation, { programId, ...path, mandateId, body, audit }, idempotency);
};

/** @throws ApiError NOT_FOUND without the external account */
export const listMandates: Operations[`GET ${Route}`] = async ({ scope, path, query }) => {
  await readExternalAccount(scope.programId, path.externalAccountId);
  return listHistory(
    mandates.records(scope.programId, path.externalAccountId),
    (stored) => toMandateView(mandates.parse(stored)),
    query,
  );
};

/** @throws ApiError NOT_FOUND */
export const viewMandate: Operations[`GET ${Route}/{mandateId}`] = async ({ scope, path }) =>
  toMandateView(await mandates.at(scope.programId, path.externalAccountId, path.mandateId).require());

/** @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION */
export const cancelMandate: Operations[`POST ${Route}/{mandateId}/cancel`] = (request) => {
  const { scope, path, idempotency } = request;
  const { programId } = scope;
  const audit = auditing(request, "mandate.cancel", path.mandateId);
  return answerRequest(mandateCancellation, { programId, ...path, audit }, idempotency);
};

function auditing(request: AuditedRequest, action: AuditAction, subjectId: string) {
  const { tenantId, programId } = request.scope;
  const [before, after] =
    action === "mandate.create"
      ? [null, { status: "active" }]
      : [{ status: "active" }, { status: "cancelled" }];
  return auditPut(toActor(request), { tenantId, programId, action, subjectId, before, after });
}
