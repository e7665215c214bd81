import { answerEvent } from "../../shared/domain/network/answer-event.ts";
import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { planCardEvent } from "../../shared/domain/network/plan-card-event.ts";
import { eventOf } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Charges a fee, whatever the card's status and money.
 *
 * @throws ApiError NOT_FOUND; IDEMPOTENCY_MISMATCH
 */
export const chargeFee: SandboxOperations["POST /cards/{cardId}/fees"] = ({
  scope,
  path,
  body,
  idempotency,
}) => {
  const event = { ...eventOf("fee", scope.programId, path.cardId), ...body };
  return answerEvent({ event, plan: () => planCardEvent(event), key: idempotency, answer: feeIn });
};

function feeIn({ feeId }: AppliedResult): { feeId: string } {
  if (feeId === undefined) throw new Error("The event charged no fee.");
  return { feeId };
}
