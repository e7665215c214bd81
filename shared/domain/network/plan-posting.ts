import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { now } from "../../platform/clock.ts";
import type { Card } from "../cards/card.ts";
import { knownCard, rememberCard } from "../cards/card-identity.ts";
import { readAccount, type StoredAccount, toBalances } from "../ledger/account.ts";
import { creditSettled, feeCharged } from "../ledger/card-movements.ts";
import { type Fee, feePut, newFee } from "../transactions/fee.ts";
import { transactionPut } from "../transactions/transaction.ts";
import { type CardEventOf, cardPlan, chargeFor, recordOf, type Subject, unrefusable } from "./card-plan.ts";
import { type EventPlan, notFound, type Planned } from "./event-plan.ts";
import { merchantOf } from "./merchant-of.ts";

/** The merchant gives money back. */
export function planRefund(subject: Subject<CardEventOf<"refund">>): EventPlan {
  const { event, identity } = subject;
  const { amount, referenceCode } = event;
  const transaction = recordOf(subject, {
    transType: TransactionType.refund,
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

/**
 * Somebody asks at an ATM what is on the card: recorded and answered, moves nothing. One round of reads, whose balances the answer keeps for the
 * event's repetitions.
 */
export async function planBalanceInquiry(event: CardEventOf<"balance_inquiry">): Promise<Planned> {
  const { programId, cardId } = event;
  const seen = await readAccount(programId, { kind: "card", accountId: cardId });
  if (!seen) return notFound;
  const identity = knownCard(programId, cardId) ?? rememberCard(programId, seen as Card & StoredAccount);
  const subject = { event, identity, at: now() };
  const transaction = recordOf(subject, {
    transType: TransactionType.balanceinquiry,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: 0,
    description: "Balance Inquiry",
    merchant: merchantOf(event),
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
    result: { amount: 0, transId, ...toBalances(seen), currency: identity.currency },
    again: unrefusable,
  });
}
