import { answerEvent } from "../../shared/domain/network/answer-event.ts";
import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { planCardEvent } from "../../shared/domain/network/plan-card-event.ts";
import { eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Cash is withdrawn and the fee for it charged in the same transaction, or declined with a reason. Both are a 200.
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
    answer: answerOf,
  });
};

function answerOf(result: AppliedResult) {
  const { approved, declineReason, amount, feeId } = result;
  if (approved === undefined || amount === undefined) throw new Error("The event decided no withdrawal.");
  return { approved, declineReason, amount, ...transactionIn(result), feeId };
}
