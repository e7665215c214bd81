import { answerEvent } from "../../shared/processor/answer-event.ts";
import { planCardEvent } from "../../shared/processor/plan-card-event.ts";
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

/**
 * Somebody asks at an ATM what is on the card: recorded, moves nothing.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const inquireBalance: SandboxOperations["POST /cards/{cardId}/balance-inquiries"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("balance_inquiry", scope.programId, path.cardId), ...body },
    idempotency,
    transactionIn,
  );
