import { later, unread } from "../changes/change.ts";
import { currencyCodes } from "../contract/currencies.ts";
import { FeeType, numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { debitSettled, feeCharged, feeReversed, withInterchange } from "../ledger/movements.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  completedMerchant,
  holdBefore,
  illegal,
  newTransaction,
  notFound,
  type OfControls,
  type OfHold,
  type OfPostings,
  type OfSettings,
  type Rejected,
  requiredSettings,
} from "../network-events/plan.ts";
import { morePostings, noPostings, readHoldAgain } from "../network-events/posting-reads.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { newId } from "../platform/id.ts";
import { scheduledFeeMinor } from "../tenancy/programs/fee-schedule.ts";
import { type Fee, fees } from "../transactions/fee.ts";
import { type Charge, feeReversedUpdate, newFee } from "../transactions/fee-rules.ts";
import { presented } from "../verification/presentation.ts";
import { countHold, countPosting } from "./counted.ts";
import { isFull, namePosting, olderIn } from "./holds/claims.ts";
import type { Hold } from "./holds/hold.ts";
import { decreaseHold, isDeclined } from "./holds/hold-changes.ts";
import { closeHold, heldMinor, outstandingMinor } from "./holds/hold-rules.ts";
import { planWithdrawalClearing } from "./plan-posted-withdrawal.ts";

type Clearing = CardSubject<CardEventOf<"clearing">> & OfHold & OfControls & OfPostings & OfSettings;

/**
 * Settles an authorization for any amount, or a purchase without one (force post). The network
 * has paid, so it is never declined. `final` releases the whole hold, else the settled amount.
 */
export function planClearing(subject: Clearing): CardPlan | Rejected {
  const { event, card } = subject;
  const { authorizationId } = event;
  const before = authorizationId === undefined ? undefined : holdBefore(subject, authorizationId);
  if (before?.withdrawal) return planWithdrawalClearing(subject, before.withdrawal, before);
  const amountMinor = event.amount ?? (before ? outstandingMinor(before) : 0);
  if (amountMinor === 0) return { rejected: "NOTHING_HELD" };
  const transId = newId("transaction");
  const settled = before && settleHold(subject, before, transId, amountMinor);
  const merchant = completedMerchant(event, before?.merchant);
  const { counted, writes } = settled ?? countPosting(subject, transId, amountMinor);
  const moved = debitSettled(card.cardId, amountMinor, settled?.freedMinor);
  const fee = conversionFee(subject, amountMinor, transId);
  const transaction = newTransaction(subject, {
    transId,
    transType: TransactionType.authorization_clearing,
    type: "DR",
    amountMinor,
    description: event.description ?? merchant.merchantName ?? "Purchase",
    merchant,
    interchangeMinor: event.interchange,
    referenceCode: event.referenceCode,
    authorizationId,
    releasedMinor: settled?.releasedMinor ?? 0,
    feeId: fee?.feeId,
    counted,
    ...presented(before ?? {}),
  });
  return {
    transaction,
    fee,
    entryKind: "clearing",
    postings: [
      ...withInterchange(card.cardId, moved, event.interchange),
      ...(fee ? feeCharged(card.cardId, fee.amountMinor) : []),
    ],
    relatedId: transId,
    writes,
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { authorizationId, amount: amountMinor },
  };
}

/** What is written of the hold, released of its amount, and freed with what is reserved. */
function settleHold(subject: Clearing, before: Hold, transId: string, amountMinor: number) {
  const { disputable: known = [] } = before;
  const { named: disputable, olderMinor, writes } = namePosting(known, transId, subject.postings ?? []);
  const clearedMinor = before.clearedMinor + amountMinor;
  const settled = { ...before, clearedMinor, disputable, ...olderIn(before, olderMinor) };
  // After a decline, the network has stood in: no advice of it holds anything again.
  const open = isDeclined(settled) ? { ...settled, closedBy: undefined } : settled;
  const after = subject.event.final ? closeHold(open, "cleared") : decreaseHold(settled, amountMinor);
  return {
    counted: undefined,
    writes: [...countHold(subject, before, after, transId).writes, ...writes],
    releasedMinor: outstandingMinor(before) - outstandingMinor(after),
    freedMinor: heldMinor(before) - heldMinor(after),
  };
}

/** Whether the merchant billed in another currency. Not so under Dynamic Currency Conversion. */
function isConverted({ event, card }: Pick<Clearing, "event" | "card">): boolean {
  const { srcCurrency = "" } = event;
  return currencyCodes.has(srcCurrency) && srcCurrency !== numericCurrency[card.currency];
}

function conversionFee(subject: Clearing, clearedMinor: number, relatedTransId: string): Fee | undefined {
  if (!isConverted(subject)) return undefined;
  const amountMinor = scheduledFeeMinor(requiredSettings(subject), FeeType.crossBorder, clearedMinor);
  if (amountMinor === 0) return undefined;
  return newFee(toCharge(subject), { feeType: FeeType.crossBorder, amountMinor, relatedTransId });
}

function toCharge({ event, card, at }: CardSubject): Charge {
  return { identity: card, at, occurredAt: event.occurredAt };
}

/** Charges a fee of its own, or for a transaction that is posted already. */
function planFee(subject: CardSubject<CardEventOf<"fee">>): CardPlan {
  const { feeType, amount, relatedTransId, description } = subject.event;
  const fee = newFee(toCharge(subject), {
    feeType,
    amountMinor: amount,
    relatedTransId,
    ...(description !== undefined && { description }),
  });
  return {
    fee,
    entryKind: "fee",
    postings: feeCharged(fee.cardId, amount),
    relatedId: fee.feeId,
    outboxKind: "fee.posted",
    notify: notifyPosting,
    result: { amount },
  };
}

/** Reverses a fee in full, once, by a transaction. The fee stays listed. */
function planFeeReversal(
  subject: CardSubject<CardEventOf<"fee_reversal">> & { readonly original?: Fee | undefined },
): CardPlan | Rejected {
  const { card, original: fee } = subject;
  if (!fee) return notFound;
  if (fee.reversedBy !== undefined || fee.transStatus === TransactionStatus.error) return illegal;
  const { feeId, amountMinor } = fee;
  const transaction = newTransaction(subject, {
    transType: TransactionType.fee_charge_reversal,
    type: "CR",
    amountMinor,
    description: `Fee reversal: ${fee.description}`,
    relatedId: feeId,
  });
  return {
    transaction,
    entryKind: "fee_reversal",
    postings: feeReversed(card.cardId, amountMinor),
    relatedId: transaction.transId,
    writes: [feeReversedUpdate(fee, transaction.transId)],
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { amount: amountMinor, feeId },
  };
}

export const clearing = cardChange<CardEventOf<"clearing">>()({
  reads: (of, event) => {
    const mayConvert =
      event.srcCurrency !== undefined && (!of.known || isConverted({ event, card: of.known }));
    return {
      account: of.account(),
      hold: of.hold(),
      controls: of.controls(),
      settings: mayConvert ? of.settings() : later(of.settings()),
      postings: noPostings,
    };
  },
  readMore: ({ card, hold }, _, { postings }) =>
    postings === unread && hold ? morePostings(card, namesToRead(hold)) : undefined,
  readAgain: (...seen) => readHoldAgain(...seen),
  plan: planClearing,
});

/** A purchase that names too many reads the oldest one: it will not name that any more. */
function namesToRead({ withdrawal, disputable = [] }: Hold): readonly string[] {
  if (withdrawal) return withdrawal.disputable;
  return isFull(disputable) ? disputable.slice(0, 1) : [];
}

export const fee = cardChange<CardEventOf<"fee">>()({ plan: planFee });

export const feeReversal = cardChange<CardEventOf<"fee_reversal">>()({
  reads: (of, { programId, cardId, feeId }) => ({
    account: of.account(),
    original: fees.at(programId, cardId, feeId),
  }),
  plan: planFeeReversal,
});
