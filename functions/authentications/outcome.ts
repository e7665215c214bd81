import { decideChallenge } from "../../shared/authentications/decide-challenge.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** ILLEGAL_TRANSITION for what is decided, or has waited too long. */
export const decideAuthentication: Operations["POST /authentications/{authenticationId}/outcome"] = ({
  scope: { programId },
  path,
  body,
  idempotency,
}) => answerRequest(decideChallenge, { programId, ...path, ...body }, idempotency);
