import { TransactionStatus } from "../contract/enums.ts";
import { newId } from "../id.ts";
import { creditSettled, debitSettled, feeCharged } from "../ledger/card-movements.ts";
import { scheduledFeeMinor } from "../program/fee-schedule.ts";
import { getProgram } from "../program/program.ts";
import { type Fee, feePut } from "../transaction/fee.ts";
import { newFee } from "../transaction/new-fee.ts";
import { transactionPut } from "../transaction/transaction.ts";
import { type CardEventOf, cardPlan, chargeFor, recordOf, type Subject, unrefusable } from "./card-plan.ts";
import type { EventPlan } from "./event-plan.ts";
import { merchantOf } from "./merchant-of.ts";

/** The merchant gives money back. */
export function planRefund(subject: Subject<CardEventOf<"refund">>): EventPlan {
  const { event, identity } = subject;
  const { amount, referenceCode } = event;
  const transaction = recordOf(subject, {
    transType: 54,
    transStatus: TransactionStatus.completion,
    type: "CR",
    amountMinor: amount,
    description: event.description ?? event.merchantName ?? "Refund",
    merchant: merchantOf(event),
    ...(referenceCode !== undefined && { referenceCode }),
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "refund",
    postings: creditSettled(identity.cardId, amount),
    relatedId: transId,
    writes: [transactionPut(transaction)],
    tell: "transaction.posted",
    detail: { transaction },
    result: { amount, transId },
    again: unrefusable,
  });
}

/** A withdrawal and its fee, posted together: the fee is the parent, the withdrawal its child. Without a fee the withdrawal stands alone. */
export async function planAtmWithdrawal(subject: Subject<CardEventOf<"atm_withdrawal">>): Promise<EventPlan> {
  const { event, identity } = subject;
  const { amount, referenceCode } = event;
  const feeMinor = event.feeAmount ?? (await scheduledAtmFee(event));
  const transId = newId("transaction");
  const fee =
    feeMinor === 0
      ? undefined
      : newFee(chargeFor(subject), {
          feeType: 3,
          amountMinor: feeMinor,
          // The network tells of an ATM fee without an amount of the merchant's.
          srcAmountMinor: 0,
          relatedTransId: transId,
          description: "Foreign Cash Adv Fee",
        });
  const transaction = recordOf(subject, {
    transId,
    transType: 36,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: amount,
    description: event.description ?? "Foreign Cash Withdrawal",
    merchant: merchantOf(event),
    ...(referenceCode !== undefined && { referenceCode }),
    ...(fee && { feeId: fee.feeId }),
  });
  return cardPlan({
    subject,
    entryKind: "atm_withdrawal",
    postings: [
      ...debitSettled(identity.cardId, amount),
      ...(fee ? feeCharged(identity.cardId, fee.amountMinor) : []),
    ],
    relatedId: transId,
    writes: [transactionPut(transaction), ...(fee ? [feePut(fee)] : [])],
    tell: "transaction.posted",
    detail: { transaction, fee },
    result: { amount, transId, ...(fee && { feeId: fee.feeId }) },
    again: unrefusable,
  });
}

async function scheduledAtmFee({ programId, amount }: CardEventOf<"atm_withdrawal">): Promise<number> {
  return scheduledFeeMinor((await getProgram(programId)).settings, 3, amount);
}

/** A fee of its own, or for a transaction that was posted before. */
export function planFee(subject: Subject<CardEventOf<"fee">>): EventPlan {
  const { event } = subject;
  const { feeType, amount, relatedTransId, description } = event;
  const fee = newFee(chargeFor(subject), {
    feeType,
    amountMinor: amount,
    ...(relatedTransId !== undefined && { relatedTransId }),
    ...(description !== undefined && { description }),
  });
  return feePlan(subject, fee);
}

function feePlan(subject: Subject, fee: Fee): EventPlan {
  return cardPlan({
    subject,
    entryKind: "fee",
    postings: feeCharged(fee.cardId, fee.amountMinor),
    relatedId: fee.feeId,
    writes: [feePut(fee)],
    tell: "fee.posted",
    detail: { fee },
    result: { amount: fee.amountMinor, feeId: fee.feeId },
    again: unrefusable,
  });
}

/** Somebody asks at an ATM what is on the card: recorded, moves nothing. */
export function planBalanceInquiry(subject: Subject<CardEventOf<"balance_inquiry">>): EventPlan {
  const transaction = recordOf(subject, {
    transType: 85,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: 0,
    description: "Balance Inquiry",
    merchant: merchantOf(subject.event),
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "clearing",
    postings: [],
    relatedId: transId,
    writes: [transactionPut(transaction)],
    tell: "transaction.noted",
    detail: { transaction },
    result: { amount: 0, transId },
    again: unrefusable,
  });
}
