import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A purchase that was never authorized is settled, whatever the card's status and money.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const forcePost: SandboxOperations["POST /cards/{cardId}/force-post"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("clearing", scope.programId, path.cardId), final: true, ...body },
    idempotency,
    transactionIn,
  );
