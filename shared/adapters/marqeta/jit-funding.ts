import { currencyNames } from "../../contract/enums.ts";
import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import type { KnownCard, ProcessorMessage } from "../processor-port.ts";
import { RefusedInputError } from "../refused-input-error.ts";
import type { JitFunding, Transaction } from "./messages.ts";
import { toReference, UnknownTransaction } from "./references.ts";
import { checkEvent, commonFields, following, isKnownType, toMinor } from "./transaction.ts";

/** Methods of Gateway JIT Funding that wait for a decision. */
const kinds: Readonly<Record<string, ProcessorEvent["kind"]>> = {
  "pgfs.authorization": "authorization",
  "pgfs.authorization.account_verification": "authorization",
  "pgfs.auth_plus_capture": "authorization",
  "pgfs.pindebit.authorization": "authorization",
  "pgfs.authorization.incremental": "authorization_incremental",
  "pgfs.balanceinquiry": "balance_inquiry",
  "pgfs.pindebit.balanceinquiry": "balance_inquiry",
};

/** Those that only inform. A method that is not known may wait for a decision: it is declined. */
const informing: ReadonlySet<string> = new Set([
  "pgfs.adjustment.credit",
  "pgfs.adjustment.debit",
  "pgfs.auth_plus_capture.standin",
  "pgfs.authorization.capture",
  "pgfs.authorization.capture.chargeback",
  "pgfs.authorization.capture.chargeback.reversal",
  "pgfs.authorization.clearing",
  "pgfs.authorization.reversal",
  "pgfs.authorization.standin",
  "pgfs.directdeposit.credit",
  "pgfs.directdeposit.credit.reversal",
  "pgfs.directdeposit.debit",
  "pgfs.directdeposit.debit.reversal",
  "pgfs.dispute.credit",
  "pgfs.dispute.debit",
  "pgfs.force_capture",
  "pgfs.pindebit.chargeback",
  "pgfs.pindebit.chargeback.reversal",
  "pgfs.refund",
]);

/** The request is the only message about a withdrawal that is decided: it is posted with it. */
const withdrawal = "pindebit.atm.withdrawal";

/**
 * The question of a JIT Funding request, and its answer: 200 with what is approved, or 402.
 * Undefined if the request only informs: the webhook of the transaction says the same.
 * @throws UnknownTransaction
 * @throws RefusedInputError for a method that is not known
 */
export function toQuestion(
  transaction: Transaction,
  jit: JitFunding,
  programId: string,
  card: KnownCard,
): Pick<ProcessorMessage, "answer"> & { readonly event: ProcessorEvent | undefined } {
  const kind = transaction.type === withdrawal ? "atm_withdrawal" : kinds[jit.method];
  const answer = (result: ProcessorResult) => toAnswer(result, jit, card);
  if (!kind && informing.has(jit.method)) return { event: undefined };
  if (!kind) {
    const declined = answer({ outcome: "refused", code: "ILLEGAL_TRANSITION" });
    throw new RefusedInputError("VALIDATION_FAILED", "jit_funding.method: is not known.", declined);
  }
  if (!isKnownType(transaction)) throw new UnknownTransaction("has a type whose webhook is not known");
  const fields = commonFields(transaction, programId, card);
  const event = checkEvent({
    ...fields,
    ...(kind !== "balance_inquiry" && jit.amount !== undefined && { amount: toMinor(jit.amount) }),
    kind,
    ...(kind === "authorization_incremental"
      ? following(transaction)
      : { authorizationId: toReference(transaction.token) }),
    partialApprovalSupported: transaction.pos?.partial_approval_capable,
    ...(kind === "atm_withdrawal" && { referenceCode: toReference(transaction.token) }),
  });
  return { event, answer };
}

/** Marqeta's reasons for some of the platform's. */
const reasons: Readonly<Record<string, string>> = {
  INSUFFICIENT_FUNDS: "INSUFFICIENT_FUNDS",
  CARD_EXPIRED: "EXPIRED_CARD",
  CARD_CLOSED: "CARD_TERMINATED",
  CARD_BLOCKED: "CARD_SUSPENDED",
  CARD_ON_HOLD: "CARD_SUSPENDED",
};
const otherReason = "TRANSACTION_NOT_PERMITTED";

function toAnswer(result: ProcessorResult, jit: JitFunding, { currency }: KnownCard) {
  const { token, method, user_token } = jit;
  const base = { token, method, ...(user_token !== undefined && { user_token }) };
  if (result.outcome === "refused" || result.approved === false) {
    const reason = result.outcome === "refused" ? undefined : result.declineReason;
    return {
      status: 402,
      body: { jit_funding: { ...base, decline_reason: reasons[reason ?? ""] ?? otherReason } },
    };
  }
  const { amount = 0, availableBalance, ledgerBalance } = result;
  const code = currencyNames[currency];
  const balances = availableBalance !== undefined &&
    ledgerBalance !== undefined && {
      balances: {
        [code]: {
          currency_code: code,
          available_balance: availableBalance / 100,
          ledger_balance: ledgerBalance / 100,
        },
      },
    };
  return { status: 200, body: { jit_funding: { ...base, amount: amount / 100, ...balances } } };
}
