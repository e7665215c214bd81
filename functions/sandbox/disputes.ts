import { chargebacks } from "../../shared/domain/disputes/chargeback.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { executeWithBalances, newCardEvent, pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** Once per transaction, for at most its amount. */
export const openChargeback: SandboxOperations["POST /cards/{cardId}/chargebacks"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("chargeback", programId, cardId), ...body };
  return executeWithBalances(event, idempotency, pick("transId", "chargebackId"));
};

/** Status 1 continues the dispute, 2 to 5 decide it. */
export const decideChargeback: SandboxOperations["POST /chargebacks/{chargebackId}/outcome"] = async ({
  scope: { programId },
  path: { chargebackId },
  body: { status },
  idempotency,
}) => {
  const chargeback = await chargebacks.at(programId, chargebackId).get();
  if (!chargeback) throw new ApiError("NOT_FOUND");
  const base = newCardEvent("chargeback_outcome", programId, chargeback.cardId);
  return executeWithBalances({ ...base, chargebackId, status }, idempotency, pick("transId"));
};
