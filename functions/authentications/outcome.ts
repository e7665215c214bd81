import { decideChallenge } from "../../shared/authentications/decide-challenge.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditPut, toActor } from "../../shared/tenancy/audit-log.ts";

/** ILLEGAL_TRANSITION for what is decided, or has waited too long. */
export const decideAuthentication: Operations["POST /authentications/{authenticationId}/outcome"] = (
  request,
) => {
  const { scope, path, body, idempotency } = request;
  const { tenantId, programId } = scope;
  const audited = {
    ...{ tenantId, programId, action: "authentication.decide" as const },
    subjectId: path.authenticationId,
    before: { state: "challenged" },
  };
  const outcome = {
    ...{ programId, ...path, ...body },
    audit: ({ state }: { readonly state: string }) =>
      auditPut(toActor(request), { ...audited, after: { state } }),
  };
  return answerRequest(decideChallenge, outcome, idempotency);
};
