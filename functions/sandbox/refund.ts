import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A merchant refunds.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const refund: SandboxOperations["POST /cards/{cardId}/refunds"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("refund", scope.programId, path.cardId), ...body },
    idempotency,
    transactionIn,
  );
