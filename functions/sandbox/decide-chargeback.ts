import { readChargeback } from "../../shared/domain/disputes/chargeback.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { answerWithBalances, eventOf, transactionIn } from "./card-event.ts";
import type { SandboxOperations } from "./operations.ts";

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
