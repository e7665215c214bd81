import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { execute, executeWithBalances, newCardEvent, pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** Settles a purchase without an authorization, whatever the card's status and money. */
export const forcePost: SandboxOperations["POST /cards/{cardId}/force-post"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("clearing", programId, cardId), final: true, ...body };
  return executeWithBalances(event, idempotency, pick("transId"));
};

export const refund: SandboxOperations["POST /cards/{cardId}/refunds"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("refund", programId, cardId), ...body };
  return executeWithBalances(event, idempotency, pick("transId"));
};

/** Takes a refund back, whole. ILLEGAL_TRANSITION the second time, and for what is no refund. */
export const reverseRefund: SandboxOperations["POST /cards/{cardId}/refunds/{transId}/reverse"] = ({
  scope: { programId },
  path: { cardId, transId },
  idempotency,
}) => {
  const event = { ...newCardEvent("refund_reversal", programId, cardId), transId };
  return executeWithBalances(event, idempotency, pick("transId"));
};

/** Posts cash and its fee together, or declines with a reason. Both are a 200. */
export const withdrawCash: SandboxOperations["POST /cards/{cardId}/atm-withdrawals"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("atm_withdrawal", programId, cardId), ...body };
  return execute(event, idempotency, toWithdrawal);
};

function toWithdrawal(result: AppliedResult) {
  const { declineReason, feeId } = result;
  return { ...pick("approved", "amount", "transId")(result), declineReason, feeId };
}

/** Records a balance inquiry at an ATM and answers the balances, in minor units. */
export const inquireBalance: SandboxOperations["POST /cards/{cardId}/balance-inquiries"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("balance_inquiry", programId, cardId), ...body };
  return execute(event, idempotency, pick("availableBalance", "ledgerBalance", "currency", "transId"));
};

/** Charges a fee, whatever the card's status and money. */
export const chargeFee: SandboxOperations["POST /cards/{cardId}/fees"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("fee", programId, cardId), ...body };
  return execute(event, idempotency, pick("feeId"));
};

/** Gives a fee back, whole. ILLEGAL_TRANSITION the second time. */
export const reverseFee: SandboxOperations["POST /cards/{cardId}/fees/{feeId}/reverse"] = ({
  scope: { programId },
  path: { cardId, feeId },
  idempotency,
}) => {
  const event = { ...newCardEvent("fee_reversal", programId, cardId), feeId };
  return executeWithBalances(event, idempotency, pick("transId"));
};
