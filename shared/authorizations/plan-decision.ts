import { releaseWrites } from "../authentications/named-authentication.ts";
import { whenFailed } from "../changes/change.ts";
import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import { holdReleased } from "../ledger/postings.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  eventRecords,
  illegal,
  newTransaction,
  type OfAccount,
  type OfControls,
  type OfHold,
  type Rejected,
  toMerchant,
} from "../network-events/plan.ts";
import { notifyHold } from "../notifications/hold-notification.ts";
import { timestamp } from "../platform/clock.ts";
import { idTime, newId } from "../platform/id.ts";
import type { Decision } from "../questions/question.ts";
import { references } from "../transactions/transaction-rules.ts";
import { countHold } from "./counted.ts";
import type { OpenQuestion, Verdict } from "./decisions/decision.ts";
import { lost, referenceTaken, reversed } from "./decisions/verdicts.ts";
import { planDecline } from "./decline.ts";
import type { Hold } from "./holds/hold.ts";
import { isOnlyReserved, withoutReservation } from "./holds/hold-changes.ts";
import { closeHold, heldMinor, increaseHold, outstandingMinor, withinLimits } from "./holds/hold-rules.ts";
import { describeWithdrawal, isFinished, postWithdrawal } from "./plan-withdrawal.ts";

type DecisionSubject = CardSubject<CardEventOf<"authorization_decision">> &
  OfHold &
  OfAccount &
  OfControls & {
    /** What is decided, while it is open. */
    readonly question?: OpenQuestion | undefined;
    /** Another transaction settled with its reference code. */
    readonly isReferenceTaken?: boolean;
  };

/**
 * Decides an open question, once: authorizes what is approved, and releases the rest of its
 * reservation. What else has happened to the hold counts as if it had come before.
 */
function planDecision(subject: DecisionSubject): CardPlan | Rejected {
  const { event, card, hold, question, at, isReferenceTaken } = subject;
  if (!hold || !question) return illegal;
  const withdrawal =
    question.event.kind === "atm_withdrawal" ? { ...subject, event: question.event } : undefined;
  const isLost = event.verdict.reason === lost.reason || timestamp(at) > question.lapsesAt;
  // Or its clearing came meanwhile: the cash is paid.
  const isReversed = withdrawal !== undefined && (isFinished(hold) || hold.clearedMinor > 0);
  const { askedAt, answeredAt } = event.verdict;
  const without = isLost ? lost : isReversed ? reversed : isReferenceTaken ? referenceTaken : undefined;
  const verdict = without ? { ...without, askedAt, answeredAt } : event.verdict;
  const { approvedMinor } = verdict;
  if (approvedMinor > question.amountMinor) throw new Error("More is approved than was reserved.");
  const decision = toDecision(question, verdict, at);
  if (withdrawal && approvedMinor > 0) return { ...payOut(withdrawal, hold, question, verdict), decision };
  const ofEvent = hold.reservations?.find(({ eventId }) => eventId === event.eventId);
  const { at: occurredAt, usedControls } = ofEvent ?? {};
  const after = decide(hold, event.eventId, approvedMinor, occurredAt);
  const releasedMinor = heldMinor(hold) - heldMinor(after);
  const counted = countHold(subject, hold, after, question.transId, {
    unused: approvedMinor === 0 ? usedControls : undefined,
    madeAt: idTime(question.transId),
  });
  const asked = { ...subject, event: question.event };
  const description = withdrawal
    ? describeWithdrawal(withdrawal.event)
    : (question.event.merchantName ?? hold.merchant.merchantName ?? "Authorization");
  const placedMinor = outstandingMinor(after) - outstandingMinor(hold);
  const plan =
    approvedMinor > 0
      ? approve(asked, question, verdict, { description, placedMinor })
      : // A proof relies on ids being younger than a minute at their commit.
        decline(asked, isLost ? newId("transaction") : question.transId, verdict, description);
  return {
    ...plan,
    entryKind: "hold_released",
    postings: releasedMinor > 0 ? holdReleased(card.cardId, releasedMinor) : [],
    writes: [
      ...counted.writes,
      ...(approvedMinor > 0 ? [] : releaseWrites(question.event, question.authorizationId)),
    ],
    controls: counted.controls,
    decision,
  };
}

/** What reversals meanwhile have left of a withdrawal. */
function payOut(
  subject: CardSubject<CardEventOf<"atm_withdrawal">> & OfAccount & OfControls,
  hold: Hold,
  { transId }: OpenQuestion,
  { approvedMinor, decidedBy }: Verdict,
): CardPlan {
  const { event, account } = subject;
  if (!account) throw new Error("A withdrawal is decided without its account.");
  const amountMinor = withinLimits(hold, approvedMinor);
  const feeMinor = event.feeAmount ?? 0;
  return postWithdrawal(subject, hold, { account, transId, amountMinor, feeMinor, decidedBy });
}

/** A declined authorization is closed, unless other events have come. */
function decide(hold: Hold, eventId: string, approvedMinor: number, at: string | undefined): Hold {
  const after = withoutReservation(hold, eventId);
  if (approvedMinor > 0) return increaseHold(after, approvedMinor, at);
  return isOnlyReserved(hold) ? closeHold(after, "declined") : after;
}

type AskedSubject = CardSubject<OpenQuestion["event"]>;

function approve(
  subject: AskedSubject,
  { transId, authorizationId }: OpenQuestion,
  { approvedMinor, decidedBy }: Verdict,
  { description, placedMinor }: { readonly description: string; readonly placedMinor: number },
): Omit<CardPlan, "entryKind" | "postings"> {
  const { event } = subject;
  const transaction = newTransaction(subject, {
    transId,
    transType: chooseTransType(event, decidedBy),
    transStatus: TransactionStatus.pending,
    type: "DR",
    amountMinor: approvedMinor,
    description,
    merchant: toMerchant(event),
    authorizationId,
    decidedBy,
  });
  return {
    transaction,
    relatedId: transId,
    outboxKind: "hold.placed",
    notify: notifyHold,
    detail: { placedMinor },
    result: { approved: true, decidedBy, authorizationId, amount: approvedMinor },
  };
}

function chooseTransType({ kind }: OpenQuestion["event"], decidedBy: Verdict["decidedBy"]): TransactionType {
  if (kind === "authorization_incremental") return TransactionType.authorization_incremental;
  return decidedBy === "stand_in" ? TransactionType.authorization_standin : TransactionType.authorization;
}

const reasons = {
  platform: "AUTHORIZATION_FINISHED",
  receiver: "RECEIVER_DECLINED",
  stand_in: "STAND_IN_DECLINED",
} as const;

function decline(
  subject: AskedSubject,
  transId: string,
  { decidedBy }: Verdict,
  description: string,
): CardPlan {
  return planDecline(subject, { reason: reasons[decidedBy], decidedBy }, description, { transId });
}

function toDecision(
  { receivedAt }: OpenQuestion,
  { approvedMinor: _, ...verdict }: Verdict,
  at: Date,
): Decision {
  return { ...verdict, receivedAt, decidedAt: timestamp(at) };
}

export const decision = cardChange<CardEventOf<"authorization_decision">>()({
  reads: (of, { programId, eventId }) => ({
    account: of.accountIfNeeded(),
    hold: of.hold(),
    controls: of.controls(),
    decision: eventRecords.at(programId, eventId),
    reference: whenFailed((stored) => references.parse(stored)),
  }),
  plan: ({ decision: record, reference, ...subject }) =>
    planDecision({ ...subject, question: record?.question, isReferenceTaken: reference !== undefined }),
});
