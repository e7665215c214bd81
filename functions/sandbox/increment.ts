import { answerAuthorization } from "./authorization-answer.ts";
import { eventOf, getHold } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The merchant asks for more of an authorization. A finished one takes no more: declined.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const increment: SandboxOperations["POST /authorizations/{authorizationId}/increment"] = async ({
  scope: { programId },
  path: { authorizationId },
  body,
  idempotency,
}) => {
  const { cardId } = await getHold(programId, authorizationId);
  return answerAuthorization(
    { ...eventOf("authorization_incremental", programId, cardId), authorizationId, ...body },
    idempotency,
  );
};
