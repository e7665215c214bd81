import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * A refund is taken back, whole.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for what is no refund or was taken back before; IDEMPOTENCY_MISMATCH
 */
export const reverseRefund: SandboxOperations["POST /cards/{cardId}/refunds/{transId}/reverse"] = ({
  scope,
  path: { cardId, transId },
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("refund_reversal", scope.programId, cardId), transId },
    idempotency,
    transactionIn,
  );
