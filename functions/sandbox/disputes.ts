import { disputes } from "../../shared/disputes/dispute.ts";
import { executeDispute } from "../../shared/network-events/apply/execute-dispute.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { executeWithBalances, newCardEvent, requireFields } from "./execute-event.ts";

/** Created, submitted and credited at once: at most what is not disputed yet. */
export const openChargeback: Operations["POST /cards/{cardId}/chargebacks"] = (request) => {
  const event = { ...newCardEvent("chargeback", request), ...request.body };
  return executeWithBalances(event, request, requireFields("transId", "chargebackId"));
};

/** Status 1 continues the dispute, 2 to 5 decide it. */
export const decideChargeback: Operations["POST /chargebacks/{chargebackId}/outcome"] = async (request) => {
  const { scope, path, body } = request;
  const dispute = await disputes.at(scope.programId, path.chargebackId).require();
  const base = newCardEvent("chargeback_outcome", { scope, path: dispute });
  return executeWithBalances({ ...base, ...path, status: body.status }, request, requireFields("transId"));
};

/** The network's next step, or its decision. */
export const decideDispute: Operations["POST /disputes/{disputeId}/outcome"] = async (request) => {
  const { scope, path, body } = request;
  const dispute = await disputes.at(scope.programId, path.disputeId).require();
  const base = newCardEvent("dispute_outcome", { scope, path: dispute });
  return executeDispute({ ...base, ...path, status: body.status }, request.idempotency);
};
