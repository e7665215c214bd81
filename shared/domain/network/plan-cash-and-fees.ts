import { FeeType, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { scheduledFeeMinor } from "../../tenancy/programs/program.ts";
import { toBalances } from "../ledger/account.ts";
import { debitSettled, feeCharged, feeGivenBack } from "../ledger/postings.ts";
import { atmFee, feeReversedUpdate, newFee } from "../transactions/fee.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  newTransaction,
  requiredSettings,
  toCharge,
  toMerchant,
} from "./card-plan.ts";
import { illegal, notFound, type Rejected } from "./event-plan.ts";
import { declineOf, holding, planDecline } from "./plan-authorization.ts";

const defaultDescription = "Foreign Cash Withdrawal";

/**
 * Cash at an ATM: posted with its fee at once, without a hold, if the card can be used and has both. An advice is posted
 * whatever the card's status and money. The fee is the parent, the withdrawal its child.
 */
export function planAtmWithdrawal(subject: CardSubject<CardEventOf<"atm_withdrawal">>): CardPlan | Rejected {
  const { event, card, at, account } = subject;
  if (!account) return notFound;
  const { amount, referenceCode, advice } = event;
  const feeMinor = event.feeAmount ?? scheduledFeeMinor(requiredSettings(subject), FeeType.atm, amount);
  const description = event.description ?? defaultDescription;
  const decline = advice ? undefined : declineOf(account, amount + feeMinor, at);
  if (decline) return planDecline(subject, decline, description);
  const transId = newId("transaction");
  const fee =
    feeMinor === 0
      ? undefined
      : newFee(toCharge(subject), { ...atmFee, amountMinor: feeMinor, relatedTransId: transId });
  const transaction = newTransaction(subject, {
    transId,
    transType: TransactionType.pindebit_atm_withdrawal,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: amount,
    description,
    merchant: toMerchant(event),
    ...(referenceCode !== undefined && { referenceCode }),
    ...(fee && { feeId: fee.feeId }),
  });
  return {
    transaction,
    fee,
    entryKind: "atm_withdrawal",
    postings: [...debitSettled(card.cardId, amount), ...(fee ? feeCharged(card.cardId, feeMinor) : [])],
    relatedId: transId,
    ...(!advice && { require: holding(amount + feeMinor, at) }),
    balances: { ledgerMinor: account.ledgerMinor },
    outboxKind: "transaction.posted",
    result: { approved: true, amount },
  };
}

/** Records a balance inquiry at an ATM. Repetitions of the event are answered the same balances. */
export function planBalanceInquiry(
  subject: CardSubject<CardEventOf<"balance_inquiry">>,
): CardPlan | Rejected {
  const { event, card, account } = subject;
  if (!account) return notFound;
  const transaction = newTransaction(subject, {
    transType: TransactionType.balanceinquiry,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: 0,
    description: "Balance Inquiry",
    merchant: toMerchant(event),
  });
  return {
    transaction,
    entryKind: "clearing",
    postings: [],
    relatedId: transaction.transId,
    outboxKind: "transaction.noted",
    result: { amount: 0, ...toBalances(account), currency: card.currency },
  };
}

/** Charges a fee of its own, or for a transaction that is posted already. */
export function planFee(subject: CardSubject<CardEventOf<"fee">>): CardPlan {
  const { feeType, amount, relatedTransId, description } = subject.event;
  const fee = newFee(toCharge(subject), {
    feeType,
    amountMinor: amount,
    ...(relatedTransId !== undefined && { relatedTransId }),
    ...(description !== undefined && { description }),
  });
  return {
    fee,
    entryKind: "fee",
    postings: feeCharged(fee.cardId, amount),
    relatedId: fee.feeId,
    outboxKind: "fee.posted",
    result: { amount },
  };
}

/** Gives a fee back, whole and once. It stays among the fees; what gives it back is a transaction. */
export function planFeeReversal(subject: CardSubject<CardEventOf<"fee_reversal">>): CardPlan | Rejected {
  const { card, fee } = subject;
  if (!fee) return notFound;
  if (fee.reversedBy !== undefined) return illegal;
  const { feeId, amountMinor } = fee;
  const transaction = newTransaction(subject, {
    transType: TransactionType.fee_charge_reversal,
    transStatus: TransactionStatus.completion,
    type: "CR",
    amountMinor,
    description: `Fee reversal: ${fee.description}`,
    relatedId: feeId,
  });
  return {
    transaction,
    entryKind: "fee_reversal",
    postings: feeGivenBack(card.cardId, amountMinor),
    relatedId: transaction.transId,
    writes: [feeReversedUpdate(fee, transaction.transId)],
    outboxKind: "transaction.posted",
    result: { amount: amountMinor, feeId },
  };
}
