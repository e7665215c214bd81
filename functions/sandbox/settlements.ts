import type { AppliedResult } from "../../shared/network-events/plan.ts";
import { requirePlastic } from "../../shared/plastics/plastic.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { execute, executeWithBalances, newCardEvent, requireFields } from "./execute-event.ts";
import { toVerified } from "./verified.ts";

/** Settles a purchase without an authorization, whatever the card's status and balance. */
export const forcePost: Operations["POST /cards/{cardId}/force-post"] = async (request) => {
  const { plasticId } = request.body;
  if (plasticId !== undefined) await requirePlastic(request.scope.programId, request.path.cardId, plasticId);
  const event = { ...newCardEvent("clearing", request), final: true, ...toVerified(request.body) };
  return executeWithBalances(event, request, requireFields("transId"));
};

export const refund: Operations["POST /cards/{cardId}/refunds"] = (request) => {
  const event = { ...newCardEvent("refund", request), ...request.body };
  return executeWithBalances(event, request, requireFields("transId"));
};

/** Reverses a refund in full. ILLEGAL_TRANSITION if already reversed, or not a refund. */
export const reverseRefund: Operations["POST /cards/{cardId}/refunds/{transId}/reverse"] = (request) => {
  const event = { ...newCardEvent("refund_reversal", request), transId: request.path.transId };
  return executeWithBalances(event, request, requireFields("transId"));
};

/** Posts cash and fee together, or declines. Both are a 200. */
export const withdrawCash: Operations["POST /cards/{cardId}/atm-withdrawals"] = (request) => {
  const event = { ...newCardEvent("atm_withdrawal", request), ...toVerified(request.body) };
  return execute(event, request, toWithdrawal);
};

function toWithdrawal(result: AppliedResult) {
  const { declineReason, controlId, decidedBy, feeId } = result;
  const known = requireFields("approved", "amount", "transId")(result);
  return { ...known, declineReason, controlId, decidedBy, feeId };
}

/** A decline is a 200 too. */
export const inquireBalance: Operations["POST /cards/{cardId}/balance-inquiries"] = (request) => {
  const event = { ...newCardEvent("balance_inquiry", request), ...request.body };
  return execute(event, request, toBalanceInquiry);
};

function toBalanceInquiry(result: AppliedResult) {
  const { approved = true, declineReason, availableBalance, ledgerBalance, currency } = result;
  const known = requireFields("transId")(result);
  return { ...known, approved, declineReason, availableBalance, ledgerBalance, currency };
}

/** Charges whatever the card's status and balance. */
export const chargeFee: Operations["POST /cards/{cardId}/fees"] = (request) => {
  const event = { ...newCardEvent("fee", request), ...request.body };
  return execute(event, request, requireFields("feeId"));
};

/** Refunds a fee in full. ILLEGAL_TRANSITION if already reversed. */
export const reverseFee: Operations["POST /cards/{cardId}/fees/{feeId}/reverse"] = (request) => {
  const event = { ...newCardEvent("fee_reversal", request), feeId: request.path.feeId };
  return executeWithBalances(event, request, requireFields("transId"));
};
