import { unread, whenFailed } from "../changes/change.ts";
import { TransactionType } from "../contract/enums.ts";
import { creditSettled, withInterchange } from "../ledger/movements.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  eventRecords,
  holdBefore,
  illegal,
  newTransaction,
  notFound,
  type OfControls,
  type OfHold,
  type OfPostings,
  type Rejected,
} from "../network-events/plan.ts";
import { morePostings, noPostings, readHoldAgain } from "../network-events/posting-reads.ts";
import { silentEventWrites } from "../network-events/silent-event.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { timestamp } from "../platform/clock.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { giveBack, olderIn } from "./holds/claims.ts";
import type { Hold } from "./holds/hold.ts";
import { decreaseHold, isDeclined, limitTotal } from "./holds/hold-changes.ts";
import { closeHold, holdDueAt, holdWrites, outstandingMinor } from "./holds/hold-rules.ts";
import { planWithdrawalReversal } from "./plan-posted-withdrawal.ts";
import { releaseHold } from "./release-hold.ts";
import { tiedToReversal } from "./reversed-event.ts";

type Reversal = CardSubject<CardEventOf<"authorization_reversal">> & OfHold & OfControls & OfPostings;
type Expiry = CardSubject<CardEventOf<"authorization_expiry">> & OfHold & OfControls;

/** Releases a part of the hold, or all of it, which finishes the authorization. */
export function planReversal(subject: Reversal): CardPlan | Rejected {
  const { event, hold } = subject;
  if (event.ifKnown && !hold) return notFound;
  const before = holdBefore(subject, event.authorizationId);
  const openMinor = outstandingMinor(before);
  const { amount = 0, occurredAt, incrementEventId } = event;
  const isWhole = event.amount === undefined || (event.withinHold && event.amount === openMinor);
  if (event.ofPosted && mayBePosted(before)) return notFound;
  if (before.withdrawal) return planWithdrawalReversal(subject, before.withdrawal, before);
  if (event.ofPosted && before.clearedMinor > 0) return planPurchaseReversal(subject, before);
  if (before.closedBy && isDone(subject, before)) return noteReversal(subject, before);
  if (before.closedBy) return illegalStatus(before.closedBy, ["pending"]);
  if (incrementEventId !== undefined) return reverseIncrement(subject, before, incrementEventId);
  if (event.withinHold && (event.amount ?? 0) > openMinor) return { rejected: "MORE_THAN_HELD" };
  if (event.withinHold && openMinor === 0) return illegal;
  const part = () =>
    event.total
      ? limitTotal(before, amount, occurredAt)
      : decreaseHold(before, amount, occurredAt ?? timestamp(subject.at));
  const after = isWhole ? closeHold(before, "reversed") : part();
  const plan = releaseHold(subject, after, TransactionType.authorization_reversal);
  return { ...plan, writes: [...(plan.writes ?? []), ...originalChecks(subject)] };
}

/** The event that it names was not read: it may be an increment that comes at the same moment. */
function originalChecks({ event, hold }: Reversal): WriteAction[] {
  if (hold || event.originalEventId === undefined) return [];
  const original = eventRecords.at(event.programId, event.originalEventId);
  return [{ ...original.check(isNew), name: "increment" }];
}

/** Releases what is left of the increment: another message may have reversed it. */
function reverseIncrement(subject: Reversal, before: Hold, eventId: string): CardPlan {
  const { event, at } = subject;
  const { reversedIncrements = [], authorizationId } = before;
  const { amountMinor: earlierMinor = 0 } = reversedIncrements.find((one) => one.eventId === eventId) ?? {};
  const { amount = 0, occurredAt = timestamp(at) } = event;
  const amountMinor = amount - earlierMinor;
  if (amountMinor <= 0)
    return {
      entryKind: "hold_released",
      postings: [],
      relatedId: authorizationId,
      result: { authorizationId, amount: 0 },
    };
  const others = reversedIncrements.filter((one) => one.eventId !== eventId);
  const after = {
    ...decreaseHold(before, amountMinor, occurredAt),
    reversedIncrements: [...others, { eventId, amountMinor: amount }],
  };
  const released = { ...subject, event: { ...event, amount: amountMinor } };
  return releaseHold(released, after, TransactionType.authorization_reversal);
}

/** Whether the posting may still come: also after a decline or expiry, the network can stand in. */
function mayBePosted({ clearedMinor, withdrawal, closedBy }: Hold): boolean {
  return clearedMinor === 0 && !withdrawal && closedBy !== "reversed";
}

/** Refunds what is left of a posted purchase, or a part. Never what is disputed. */
function planPurchaseReversal(subject: Reversal, before: Hold): CardPlan | Rejected {
  const { event, card, at, postings = [] } = subject;
  const { authorizationId, clearedMinor, refundedMinor = 0 } = before;
  const { srcAmount: _, srcCurrency: __, ...merchant } = before.merchant;
  const leftMinor = clearedMinor - refundedMinor;
  const { amount = event.total ? 0 : leftMinor } = event;
  const refundMinor = event.total ? leftMinor - amount : amount;
  if (refundMinor <= 0 && event.mayBeDone) return noteReversal(subject, before);
  if (refundMinor <= 0 || refundMinor > leftMinor) return illegal;
  const given = giveBack(postings, before.olderMinor, refundMinor);
  if (!given) return illegal;
  const transaction = newTransaction(subject, {
    transType: TransactionType.refund,
    type: "CR",
    amountMinor: refundMinor,
    description: `Purchase reversal: ${merchant.merchantName ?? "Purchase"}`,
    merchant,
    interchangeMinor: event.interchange,
    gaveBack: { authorizationId, parts: given.parts, ...olderIn({}, given.olderMinor) },
    // Without its event: a simulation has it as money that moves as it did.
    event: undefined,
  });
  const { transId } = transaction;
  const after = {
    ...before,
    refundedMinor: refundedMinor + refundMinor,
    ...olderIn(before, -given.olderMinor),
  };
  return {
    transaction,
    entryKind: "refund",
    postings: withInterchange(card.cardId, creditSettled(card.cardId, refundMinor), event.interchange),
    relatedId: transId,
    writes: [...holdWrites(before, after, at), ...given.writes],
    outboxKind: "transaction.posted",
    notify: notifyPosting,
    result: { authorizationId, amount: refundMinor },
  };
}

/** Whether no more is settled than the reversal leaves, and its sender takes that for an answer. */
function isDone({ event: { mayBeDone, total, amount = 0 } }: Reversal, { clearedMinor }: Hold): boolean {
  return mayBeDone === true && clearedMinor <= (total ? amount : 0);
}

/** Nothing is left to reverse. What a decline did not hold, a stand-in's advice holds no more. */
function noteReversal(subject: Reversal, before: Hold): CardPlan {
  const { event, at } = subject;
  const { authorizationId, amount, total, occurredAt } = event;
  const reversed = (): Hold => ({ ...before, closedBy: "reversed" });
  const after = total ? limitTotal(before, amount ?? 0, occurredAt) : reversed();
  return {
    entryKind: "hold_released",
    postings: [],
    relatedId: authorizationId,
    writes: [...(isDeclined(before) ? holdWrites(before, after, at) : []), ...silentEventWrites(event, at)],
    result: { authorizationId, amount: 0 },
  };
}

/** Expires an authorization: by the network's event, or at the platform's deadline. */
export function planExpiry(subject: Expiry): CardPlan | Rejected {
  const { dueAt, authorizationId } = subject.event;
  const before = holdBefore(subject, authorizationId);
  if (before.closedBy) return illegalStatus(before.closedBy, ["pending"]);
  // An event may have emptied the hold since, or it began anew and has another deadline.
  const isDue = !dueAt || (outstandingMinor(before) > 0 && holdDueAt(before) <= dueAt);
  if (!isDue) return illegal;
  const transType = dueAt
    ? TransactionType.authorization_reversal_issuerexpiration
    : TransactionType.authorizationexpiry;
  return releaseHold(subject, closeHold(before, "expired"), transType);
}

export const reversal = cardChange<CardEventOf<"authorization_reversal">>()({
  reads: (of) => ({
    account: of.accountIfNeeded(),
    hold: of.hold(),
    controls: of.controls(),
    postings: noPostings,
    // What it names has come in this moment, and is an increment: the reversal is sent again.
    increment: whenFailed((stored) => eventRecords.parse(stored)),
  }),
  readMore: ({ card, event, hold }, _, { postings }) =>
    postings === unread ? morePostings(card, namesToRead(event, hold)) : undefined,
  readAgain: (...seen) => readHoldAgain(...seen),
  plan: (subject) => (subject.increment ? notFound : planReversal(subject)),
  tied: tiedToReversal,
});

function namesToRead({ ofPosted }: Reversal["event"], hold: Hold | undefined): readonly string[] {
  if (hold?.withdrawal) return hold.withdrawal.disputable;
  return (ofPosted && hold?.disputable) || [];
}

export const expiry = cardChange<CardEventOf<"authorization_expiry">>()({
  reads: (of) => ({ hold: of.hold(), controls: of.controls() }),
  plan: planExpiry,
});
