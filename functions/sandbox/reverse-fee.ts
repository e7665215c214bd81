import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Gives a fee back, whole.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for one that was given back before; IDEMPOTENCY_MISMATCH
 */
export const reverseFee: SandboxOperations["POST /cards/{cardId}/fees/{feeId}/reverse"] = ({
  scope,
  path: { cardId, feeId },
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("fee_reversal", scope.programId, cardId), feeId },
    idempotency,
    transactionIn,
  );
