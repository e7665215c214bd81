import { newId } from "../../shared/platform/id.ts";
import { answerAuthorization } from "./authorization-answer.ts";
import { eventOf } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * The network tells of what it has approved: held whatever the card's status and money.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for another card's authorization; IDEMPOTENCY_MISMATCH
 */
export const advise: SandboxOperations["POST /cards/{cardId}/authorization-advices"] = ({
  scope,
  path,
  body: { authorizationId = newId("hold"), ...body },
  idempotency,
}) =>
  answerAuthorization(
    { ...eventOf("authorization_advice", scope.programId, path.cardId), authorizationId, ...body },
    idempotency,
  );
