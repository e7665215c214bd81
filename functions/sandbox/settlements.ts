import type { AppliedResult } from "../../shared/domain/network/plan.ts";
import { execute, executeWithBalances, newCardEvent, pick } from "./answers.ts";
import type { SandboxOperations } from "./operations.ts";

/** Settles a purchase without an authorization, whatever the card's status and balance. */
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

/** Reverses a refund in full. ILLEGAL_TRANSITION if already reversed, or not a refund. */
export const reverseRefund: SandboxOperations["POST /cards/{cardId}/refunds/{transId}/reverse"] = ({
  scope: { programId },
  path: { cardId, transId },
  idempotency,
}) => {
  const event = { ...newCardEvent("refund_reversal", programId, cardId), transId };
  return executeWithBalances(event, idempotency, pick("transId"));
};

/** Posts cash and fee together, or declines. Both are a 200. */
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

export const inquireBalance: SandboxOperations["POST /cards/{cardId}/balance-inquiries"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("balance_inquiry", programId, cardId), ...body };
  return execute(event, idempotency, pick("availableBalance", "ledgerBalance", "currency", "transId"));
};

/** Charges whatever the card's status and balance. */
export const chargeFee: SandboxOperations["POST /cards/{cardId}/fees"] = ({
  scope: { programId },
  path: { cardId },
  body,
  idempotency,
}) => {
  const event = { ...newCardEvent("fee", programId, cardId), ...body };
  return execute(event, idempotency, pick("feeId"));
};

/** Refunds a fee in full. ILLEGAL_TRANSITION if already reversed. */
export const reverseFee: SandboxOperations["POST /cards/{cardId}/fees/{feeId}/reverse"] = ({
  scope: { programId },
  path: { cardId, feeId },
  idempotency,
}) => {
  const event = { ...newCardEvent("fee_reversal", programId, cardId), feeId };
  return executeWithBalances(event, idempotency, pick("transId"));
};
