import { ApiError } from "../../shared/api-error.ts";
import { readChargeback } from "../../shared/dispute/chargeback.ts";
import type { AppliedResult } from "../../shared/processor/event-plan.ts";
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

/**
 * Carries a dispute on (1) or decides it (2 to 5).
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for one that is decided, or represented before; IDEMPOTENCY_MISMATCH
 */
export const decideChargeback: SandboxOperations["POST /chargebacks/{chargebackId}/outcome"] = async ({
  scope: { programId },
  path: { chargebackId },
  body: { status },
  idempotency,
}) => {
  const chargeback = await readChargeback(programId, chargebackId);
  if (!chargeback) throw new ApiError("NOT_FOUND");
  return answerWithBalances(
    { ...eventOf("chargeback_outcome", programId, chargeback.cardId), chargebackId, status },
    idempotency,
    transactionIn,
  );
};

function chargebackIn({ chargebackId }: AppliedResult): { chargebackId: string } {
  if (chargebackId === undefined) throw new Error("The event opened no chargeback.");
  return { chargebackId };
}
