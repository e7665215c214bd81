import { answerEvent } from "../../shared/processor/answer-event.ts";
import { planCardEvent } from "../../shared/processor/plan-card-event.ts";
import { eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Cash is withdrawn, and the fee for it charged in the same transaction.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const withdrawCash: SandboxOperations["POST /cards/{cardId}/atm-withdrawals"] = ({
  scope,
  path,
  body,
  idempotency,
}) => {
  const event = { ...eventOf("atm_withdrawal", scope.programId, path.cardId), ...body };
  return answerEvent({
    event,
    plan: () => planCardEvent(event),
    key: idempotency,
    answer: (result) => ({ ...transactionIn(result), feeId: result.feeId }),
  });
};
