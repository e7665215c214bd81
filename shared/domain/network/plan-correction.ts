import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { debitSettled, feeGivenBack } from "../ledger/card-movements.ts";
import { feeReversedUpdate, readFee } from "../transactions/fee.ts";
import { readTransaction, reversedUpdate, transactionPut } from "../transactions/transaction.ts";
import { type CardEventOf, cardPlan, recordOf, type Subject } from "./card-plan.ts";
import { illegal, notFound, type Planned } from "./event-plan.ts";

/** A refund is taken back whole, which it can be once. Like every settlement it does not ask for the money. */
export async function planRefundReversal(subject: Subject<CardEventOf<"refund_reversal">>): Promise<Planned> {
  const { event, identity } = subject;
  const refund = await readTransaction(identity.programId, identity.cardId, event.transId);
  if (!refund) return notFound;
  if (refund.transType !== TransactionType.refund) return illegal;
  const { amountMinor, merchantName, mcc, merchantId, merchantCity, merchantCountry } = refund;
  const transaction = recordOf(subject, {
    transType: TransactionType.returnreversal,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor,
    description: `Refund reversal: ${refund.description}`,
    merchant: {
      merchantName,
      mcc,
      merchantId,
      merchantCity,
      merchantCountry,
      srcAmount: refund.srcAmountMinor,
      srcCurrency: refund.srcCurrency,
    },
    relatedId: refund.transId,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "refund_reversal",
    postings: debitSettled(identity.cardId, amountMinor),
    relatedId: transId,
    writes: [reversedUpdate(refund, transId), transactionPut(transaction)],
    tell: "transaction.posted",
    detail: { transaction },
    result: { amount: amountMinor, transId },
    again: () => illegal,
  });
}

/** A fee is given back whole, which it can be once. It stays among the fees; what gives it back is a transaction. */
export async function planFeeReversal(subject: Subject<CardEventOf<"fee_reversal">>): Promise<Planned> {
  const { event, identity } = subject;
  const fee = await readFee(identity.programId, identity.cardId, event.feeId);
  if (!fee) return notFound;
  const transaction = recordOf(subject, {
    transId: newId("transaction"),
    transType: TransactionType.fee_charge_reversal,
    transStatus: TransactionStatus.completion,
    type: "CR",
    amountMinor: fee.amountMinor,
    description: `Fee reversal: ${fee.description}`,
    relatedId: fee.feeId,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "fee_reversal",
    postings: feeGivenBack(identity.cardId, fee.amountMinor),
    relatedId: transId,
    writes: [feeReversedUpdate(fee, transId), transactionPut(transaction)],
    tell: "transaction.posted",
    detail: { transaction },
    result: { amount: fee.amountMinor, transId, feeId: fee.feeId },
    again: () => illegal,
  });
}
