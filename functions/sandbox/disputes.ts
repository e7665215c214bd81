import { chargebacks } from "../../shared/domain/disputes/chargeback.ts";
import { executeWithBalances, newCardEvent, requireFields } from "./execute-event.ts";
import type { SandboxOperations } from "./operations.ts";

/** Once per transaction, for at most its amount. */
export const openChargeback: SandboxOperations["POST /cards/{cardId}/chargebacks"] = (request) => {
  const event = { ...newCardEvent("chargeback", request), ...request.body };
  return executeWithBalances(event, request, requireFields("transId", "chargebackId"));
};

/** Status 1 continues the dispute, 2 to 5 decide it. */
export const decideChargeback: SandboxOperations["POST /chargebacks/{chargebackId}/outcome"] = async (
  request,
) => {
  const { scope, path, body } = request;
  const chargeback = await chargebacks.at(scope.programId, path.chargebackId).require();
  const base = newCardEvent("chargeback_outcome", { scope, path: chargeback });
  return executeWithBalances({ ...base, ...path, status: body.status }, request, requireFields("transId"));
};
