import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Disputes a purchase or an ATM withdrawal: the amount is credited until the dispute is decided.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for what cannot be disputed, was before, or is less; IDEMPOTENCY_MISMATCH
 */
export const openChargeback: SandboxOperations["POST /cards/{cardId}/chargebacks"] = ({
  scope,
  path,
  body,
  idempotency,
}) =>
  answerWithBalances(
    { ...eventOf("chargeback", scope.programId, path.cardId), ...body },
    idempotency,
    (result) => ({ ...transactionIn(result), ...chargebackIn(result) }),
  );

function chargebackIn({ chargebackId }: AppliedResult): { chargebackId: string } {
  if (chargebackId === undefined) throw new Error("The event opened no chargeback.");
  return { chargebackId };
}
