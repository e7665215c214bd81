import { newId } from "../../shared/platform/id.ts";
import { answerAuthorization } from "./authorization-answer.ts";
import { eventOf } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A merchant asks for an authorization: approved and held, or declined with a reason. Both are a 200.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const authorize: SandboxOperations["POST /cards/{cardId}/authorizations"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerAuthorization(
    {
      ...eventOf("authorization", scope.programId, path.cardId),
      authorizationId: newId("hold"),
      ...body,
    },
    idempotency,
  );
