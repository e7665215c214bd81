import { answerEvent } from "../../shared/domain/network/answer-event.ts";
import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { planCardEvent } from "../../shared/domain/network/plan-card-event.ts";
import { eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Somebody asks at an ATM what is on the card, in minor units: recorded, moves nothing.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const inquireBalance: SandboxOperations["POST /cards/{cardId}/balance-inquiries"] = ({
  scope,
  path,
  body,
  idempotency,
}) => {
  const event = { ...eventOf("balance_inquiry", scope.programId, path.cardId), ...body };
  return answerEvent({ event, plan: () => planCardEvent(event), key: idempotency, answer: answerOf });
};

function answerOf(result: AppliedResult) {
  const { availableBalance, ledgerBalance, currency } = result;
  if (availableBalance === undefined || ledgerBalance === undefined || currency === undefined) {
    throw new Error("The event read no balances.");
  }
  return { availableBalance, ledgerBalance, currency, ...transactionIn(result) };
}
