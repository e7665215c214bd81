import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { type Decision, lost, type OpenQuestion, type Verdict } from "../decisions/decision.ts";
import {
  closeHold,
  type Hold,
  heldMinor,
  increaseHold,
  isOnlyReserved,
  outstandingMinor,
  withoutReservation,
} from "../holds/hold.ts";
import { holdReleased } from "../ledger/postings.ts";
import { countedHoldWrites } from "./counted.ts";
import { planDecline } from "./decline.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  illegal,
  newTransaction,
  type Rejected,
  toMerchant,
} from "./plan.ts";

type DecisionSubject = CardSubject<CardEventOf<"authorization_decision">>;

/**
 * Decides an open question, once: authorizes what is approved, and releases the rest of its
 * reservation. What else has happened to the hold counts as if it had come before.
 */
export function planDecision(subject: DecisionSubject): CardPlan | Rejected {
  const { event, card, hold, question, at } = subject;
  if (!hold || !question) return illegal;
  const isLost = timestamp(at) > question.lapsesAt;
  const { askedAt, answeredAt } = event.verdict;
  const verdict = isLost ? { ...lost, askedAt, answeredAt } : event.verdict;
  const { approvedMinor } = verdict;
  if (approvedMinor > question.amountMinor) throw new Error("More is approved than was reserved.");
  const after = decide(hold, question, approvedMinor);
  const releasedMinor = heldMinor(hold) - heldMinor(after);
  const { usedControls } = hold.reservations?.find(({ eventId }) => eventId === event.eventId) ?? {};
  const writes = countedHoldWrites(subject, hold, after, question.transId, {
    unused: approvedMinor === 0 ? usedControls : undefined,
  });
  const asked = { ...subject, event: question.event };
  const description = question.event.merchantName ?? hold.merchant.merchantName ?? "Authorization";
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
    writes,
    decision: toDecision(question, verdict, at),
  };
}

/** A declined authorization is closed, unless other events have come. */
function decide(hold: Hold, { event }: OpenQuestion, approvedMinor: number): Hold {
  const after = withoutReservation(hold, event.eventId);
  if (approvedMinor > 0) return increaseHold(after, approvedMinor);
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
    transType: transTypeOf(event, decidedBy),
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
    detail: { placedMinor },
    result: { approved: true, decidedBy, authorizationId, amount: approvedMinor },
  };
}

function transTypeOf({ kind }: OpenQuestion["event"], decidedBy: Verdict["decidedBy"]): TransactionType {
  if (kind === "authorization_incremental") return TransactionType.authorization_incremental;
  return decidedBy === "stand_in" ? TransactionType.authorization_standin : TransactionType.authorization;
}

function decline(
  subject: AskedSubject,
  transId: string,
  { decidedBy }: Verdict,
  description: string,
): CardPlan {
  const reason = decidedBy === "receiver" ? "RECEIVER_DECLINED" : "STAND_IN_DECLINED";
  return planDecline(subject, { reason, decidedBy }, description, { transId });
}

function toDecision(
  { receivedAt }: OpenQuestion,
  { approvedMinor: _, ...verdict }: Verdict,
  at: Date,
): Decision {
  return { ...verdict, receivedAt, decidedAt: timestamp(at) };
}
