import { decideChallenge } from "../../shared/authentications/end-challenge.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

/** ILLEGAL_TRANSITION for what is decided, or has waited too long. */
export const decideAuthentication: Operations["POST /authentications/{authenticationId}/outcome"] = (
  request,
) => {
  const { scope, path, body, idempotency } = request;
  const before = { state: "challenged" };
  const outcome = {
    ...{ programId: scope.programId, ...path, ...body },
    audit: ({ state }: { readonly state: string }) =>
      auditRequest(request, "authentication.decide", path.authenticationId, { before, after: { state } }),
  };
  return answerRequest(decideChallenge, outcome, idempotency);
};
