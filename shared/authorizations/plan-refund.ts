import { nothing, unread, whenFailed } from "../changes/change.ts";
import { TransactionType } from "../contract/enums.ts";
import { disputeRecord } from "../disputes/dispute-records.ts";
import { findDisputeTypes } from "../disputes/transitions.ts";
import { cardCredited, creditSettled, debitSettled, withInterchange } from "../ledger/movements.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  illegal,
  newTransaction,
  notFound,
  type OfPostings,
  type Rejected,
  toMerchant,
} from "../network-events/plan.ts";
import { morePostings, noPostings } from "../network-events/posting-reads.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { missing } from "../platform/http/api-error.ts";
import { all, exists } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import {
  changePosting,
  changeUnread,
  olderChanged,
  olderIn,
  type PostingChange,
  withOlder,
} from "./holds/claims.ts";

/** The transaction that the event reverses or refunds, if it exists. */
interface OfOriginal {
  readonly original?: Transaction | undefined;
}

/**
 * Posted whatever is disputed of its original: the network has paid. What the Card has of disputes
 * beyond what is left, it gives back at once.
 */
function planRefund(subject: CardSubject<CardEventOf<"refund">> & OfOriginal): CardPlan | Rejected {
  const { event, card, original } = subject;
  const { amount, referenceCode, originalTransId, interchange } = event;
  if (originalTransId !== undefined && !original)
    return { ...notFound, faults: missing({ originalTransId: original }) };
  if (original && !findDisputeTypes(original.transType)) return illegal;
  const transaction = newTransaction(subject, {
    transType: TransactionType.refund,
    type: "CR",
    amountMinor: amount,
    description: event.description ?? event.merchantName ?? "Refund",
    merchant: toMerchant(event),
    interchangeMinor: interchange,
    referenceCode,
    relatedId: originalTransId,
  });
  const change = original && changePosting(original, { claimedMinor: amount, refundedMinor: amount });
  const creditMinor = change?.creditMinor ?? 0;
  const moved = [...creditSettled(card.cardId, amount), ...cardCredited(card.cardId, creditMinor)];
  return {
    transaction,
    credits: original ? creditRecords(subject, original, creditMinor) : [],
    entryKind: "refund",
    postings: withInterchange(card.cardId, moved, interchange),
    relatedId: transaction.transId,
    writes: original && change ? withOlder(original, change) : [],
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { amount },
  };
}

function creditRecords(subject: CardSubject, { transId, transType }: Transaction, creditMinor: number) {
  if (creditMinor === 0) return [];
  const step = creditMinor > 0 ? "provisionalCredit" : "provisionalDebit";
  return [disputeRecord(subject, { transId, disputedType: transType }, step, Math.abs(creditMinor))];
}

/**
 * Reverses a refund in full, once. The balance can become negative. What disputes had credited
 * beyond it, the Card gets again.
 */
function planRefundReversal(
  subject: CardSubject<CardEventOf<"refund_reversal">> & OfOriginal & OfPostings,
): CardPlan | Rejected {
  const { card, original: refund } = subject;
  if (!refund) return notFound;
  if (refund.transType !== TransactionType.refund || refund.reversedBy !== undefined) return illegal;
  const { amountMinor, srcAmountMinor: srcAmount } = refund;
  const interchangeMinor = refund.interchangeMinor ? -refund.interchangeMinor : undefined;
  const transaction = newTransaction(subject, {
    transType: TransactionType.returnreversal,
    type: "DR",
    amountMinor,
    description: `Refund reversal: ${refund.description}`,
    merchant: toMerchant({ ...refund, srcAmount }),
    interchangeMinor,
    relatedId: refund.transId,
  });
  const undone = undo(subject, refund);
  const moved = [...debitSettled(card.cardId, amountMinor), ...cardCredited(card.cardId, undone.creditMinor)];
  return {
    transaction,
    credits: undone.credits,
    entryKind: "refund_reversal",
    postings: withInterchange(card.cardId, moved, interchangeMinor),
    relatedId: transaction.transId,
    writes: [reversedUpdate(refund, transaction.transId), ...undone.writes],
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { amount: amountMinor },
  };
}

/** The postings that a refund names, or that the reversal of a purchase has given back. */
function refundedIds({ relatedId, gaveBack }: Transaction): string[] {
  return relatedId === undefined ? (gaveBack?.parts ?? []).map(({ transId }) => transId) : [relatedId];
}

/** It can be disputed, or given back, again. */
function undo(subject: CardSubject & OfPostings, refund: Transaction) {
  const { postings = [], card } = subject;
  const { amountMinor, gaveBack } = refund;
  const amounts = new Map(gaveBack?.parts.map((part) => [part.transId, part.amountMinor]));
  const changes = refundedIds(refund).map((transId) => {
    const partMinor = amounts.get(transId);
    const add =
      partMinor === undefined
        ? { claimedMinor: -amountMinor, refundedMinor: -amountMinor }
        : { reversedMinor: -partMinor };
    const posting = postings.find((one) => one.transId === transId);
    if (posting) {
      const change = changePosting(posting, add);
      // Not `original`, which is the refund: these are read again.
      return { posting, ...change, writes: change.writes.map((write) => ({ ...write, name: "claimed" })) };
    }
    return { writes: [changeUnread({ ...card, transId }, add)], creditMinor: 0, olderMinor: 0 };
  });
  return {
    creditMinor: sumUp(changes, "creditMinor"),
    credits: changes.flatMap((one) =>
      "posting" in one ? creditRecords(subject, one.posting, one.creditMinor) : [],
    ),
    writes: [
      ...changes.flatMap((one) =>
        gaveBack || !("posting" in one) ? one.writes : withOlder(one.posting, one),
      ),
      ...(gaveBack
        ? [
            olderChanged(card.programId, gaveBack.authorizationId, {
              refundedMinor: -amountMinor,
              undoneMinor: amountMinor,
              ...olderIn({}, sumUp(changes, "olderMinor") + (gaveBack.olderMinor ?? 0)),
            }),
          ]
        : []),
    ],
  };
}

function sumUp(changes: readonly PostingChange[], name: "creditMinor" | "olderMinor"): number {
  return changes.reduce((sum, change) => sum + change[name], 0);
}

export const refund = cardChange<CardEventOf<"refund">>()({
  reads: (of, { programId, cardId, originalTransId: id }) => ({
    account: of.account(),
    original: id === undefined ? nothing : transactions.at(programId, cardId, id),
  }),
  plan: planRefund,
});

export const refundReversal = cardChange<CardEventOf<"refund_reversal">>()({
  reads: (of, { programId, cardId, transId }) => ({
    account: of.account(),
    original: transactions.at(programId, cardId, transId),
    postings: noPostings,
    // What it gives back is disputed, or was given back: it has to be read.
    claimed: whenFailed(() => true),
  }),
  readMore: ({ card, original, claimed }, _, { postings }) =>
    postings === unread && claimed && original ? morePostings(card, refundedIds(original)) : undefined,
  plan: planRefundReversal,
});

/** Marks it as reversed, once. The condition is named `original`. */
function reversedUpdate(
  { programId, cardId, transId }: Pick<Transaction, "programId" | "cardId" | "transId">,
  by: string,
): WriteAction {
  const isUnreversed = all<Transaction>(exists, { reversedBy: undefined });
  return {
    ...transactions.at(programId, cardId, transId).update({ set: { reversedBy: by } }, isUnreversed),
    name: "original",
  };
}
