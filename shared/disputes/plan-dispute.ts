import { isDeepStrictEqual } from "node:util";
import {
  changePosting,
  freeMinor,
  roomMinor,
  withOlder,
  worthMinor,
} from "../authorizations/holds/claims.ts";
import { holds } from "../authorizations/holds/hold.ts";
import { nothing, whenFailed } from "../changes/change.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import { amountDisputed, cardCredited, disputeDenied } from "../ledger/movements.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEvent, CardEventOf } from "../network-events/card-event.ts";
import { type CardPlan, type CardSubject, illegal, notFound, type Rejected } from "../network-events/plan.ts";
import { timestamp } from "../platform/clock.ts";
import { illegalStatus, missing } from "../platform/http/api-error.ts";
import { newId } from "../platform/id.ts";
import {
  labelPuts,
  newLabels,
  type Pointer,
  parsePointer,
  toLabels,
  withoutLabels,
} from "../platform/labels.ts";
import type { StoredItem } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { creditDeadline, statusDeadline } from "./deadlines.ts";
import { type Dispute, disputes } from "./dispute.ts";
import { type OfDispute, toDisputePlan } from "./dispute-plan.ts";
import { chooseEntryKind, disputePostings, disputeRecord, disputeRecords } from "./dispute-records.ts";
import { noLiability } from "./liability.ts";
import {
  chargebackTriggers,
  disputeTransitions,
  findDisputeTypes,
  networkTriggers,
  nextStatus,
  openStatuses,
  type StatusTrigger,
} from "./transitions.ts";

/** The dispute with its transaction, if it exists. */
type Disputed = OfDispute & {
  /** What can be claimed of the postings that their hold names no more, if that is too little. */
  readonly older?: number | undefined;
  /** The dispute that has the `externalId`; others than these two had failed conditions. */
  readonly externalId?: Pointer | undefined;
  readonly metadata?: object | undefined;
  readonly formerId?: object | undefined;
  /** When a submitted dispute is credited; read only for its submission. */
  readonly creditRules?: Pick<ProgramSettings, "provisionalCreditAtOnce" | "timeZone"> | undefined;
};
type Subject<K extends CardEvent["kind"] = CardEvent["kind"]> = CardSubject<CardEventOf<K>> & Disputed;

const amountExceeded: Rejected = { rejected: "AMOUNT_EXCEEDED" };
const evidenceRequired: Rejected = { rejected: "EVIDENCE_REQUIRED" };

/** The network's own chargeback: created, submitted and credited at once. */
function planChargeback(subject: Subject<"chargeback">): CardPlan | Rejected {
  const { event, original: disputed } = subject;
  if (!disputed) return { ...notFound, faults: missing({ transId: disputed }) };
  const amountMinor = event.amount ?? disputed.amountMinor;
  if (subject.dispute || amountMinor === 0 || amountMinor > undisputedMinor(subject, disputed))
    return illegal;
  const created = newDispute(subject, disputed, amountMinor, event.chargebackId);
  if (!created) return illegal;
  const submitted = { ...created, status: "submitted", creditedMinor: amountMinor } as const;
  const change = changePosting(disputed, { claimedMinor: amountMinor, creditedMinor: amountMinor });
  const { creditMinor } = change;
  return toDisputePlan(subject, undefined, submitted, "submit", {
    entryKind: "dispute_opened",
    postings: [...amountDisputed(amountMinor), ...cardCredited(created.cardId, creditMinor)],
    records: disputeRecords(subject, created, "submit", creditMinor),
    writes: withOlder(disputed, change, true),
    movedMinor: creditMinor,
  });
}

/** Disputes what is left of a posting, until 120 days after the settlement. */
function planDisputeCreation(subject: Subject<"dispute_creation">): CardPlan | Rejected {
  const { event, original: disputed, at } = subject;
  if (!disputed) return notFound;
  const leftMinor = undisputedMinor(subject, disputed);
  const amountMinor = event.amount ?? leftMinor;
  const created = newDispute(subject, disputed, amountMinor);
  const deadline = statusDeadline("new", at, disputed);
  if (!created) return { ...illegal, message: "A transaction of this type cannot be disputed." };
  if (deadline && deadline <= at)
    return { ...illegal, message: `It could be disputed until ${timestamp(deadline)}.` };
  if (amountMinor === 0 || amountMinor > leftMinor) return amountExceeded;
  if (subject.externalId) return { rejected: "EXTERNAL_ID_EXISTS", existingId: subject.externalId.recordId };
  const { reason, note, labels = {} } = event;
  const { programId, disputeId: recordId } = created;
  const named = { ...created, reason, note, ...newLabels(labels) };
  return toDisputePlan(subject, undefined, named, "create", {
    entryKind: "dispute_opened",
    postings: amountDisputed(amountMinor),
    records: [],
    writes: [
      ...withOlder(disputed, changePosting(disputed, { claimedMinor: amountMinor }), true),
      ...labelPuts({ programId, kind: "dispute", recordId }, labels),
    ],
    movedMinor: 0,
  });
}

/** If its hold names it no more, it is also what is left of these together. */
function undisputedMinor({ older: olderMinor = Number.POSITIVE_INFINITY }: Disputed, disputed: Transaction) {
  return Math.min(freeMinor(disputed), Math.max(0, olderMinor));
}

/** While it is new. */
function planDisputeChange(subject: Subject<"dispute_change">): CardPlan | Rejected {
  const { event, original: disputed, dispute: before } = subject;
  if (!before || !disputed) return notFound;
  if (before.status !== "new" || isOver(before, subject.at)) return illegalStatus(before.status, ["new"]);
  const { amount = before.amountMinor, reason = before.reason, note = before.note } = event;
  const moreMinor = amount - before.amountMinor;
  const { older: olderMinor = Number.POSITIVE_INFINITY } = subject;
  if (moreMinor !== 0 && moreMinor > Math.min(roomMinor(disputed), olderMinor)) return amountExceeded;
  const { labels } = event;
  if (subject.externalId && subject.externalId.recordId !== before.disputeId)
    return { rejected: "EXTERNAL_ID_EXISTS", existingId: subject.externalId.recordId };
  const isLabelledElse = labels && !isDeepStrictEqual(labels.seen, toLabels(before));
  if (isLabelledElse || subject.externalId || subject.metadata || subject.formerId)
    return { rejected: "LABELS_CHANGED" };
  const changed: Dispute = { ...before, ...labels?.set, amountMinor: amount, reason, note };
  const after = labels ? withoutLabels(changed, labels) : changed;
  return toDisputePlan(subject, before, after, "change", {
    entryKind: "dispute_changed",
    postings: moreMinor === 0 ? [] : amountDisputed(moreMinor),
    records: [],
    writes: [
      ...withOlder(disputed, changePosting(disputed, { claimedMinor: moreMinor }), true),
      ...(labels?.writes ?? []),
    ],
    movedMinor: 0,
  });
}

/** The customer's next step, or what is due. */
function planDisputeStep(subject: Subject<"dispute_step">): CardPlan | Rejected {
  const { event, dispute, at } = subject;
  const { step, dueAt, evidenceAt = "" } = event;
  if (!dispute) return notFound;
  if (step === "credit") return planCredit(subject, dueAt);
  if (step === "end") {
    const isDue = dueAt && dispute.deadlineAt !== undefined && dispute.deadlineAt <= timestamp(dueAt);
    if (!isDue) return illegal;
    return planTrigger(subject, nextStatus(dispute.status, "expire") ? "expire" : "lose");
  }
  // A write-off or a withdrawal only gives up.
  if ((step === "submit" || step === "escalate") && isOver(dispute, at)) return illegal;
  const isAsked = step === "submit" && dispute.status === "pending_customer";
  if (isAsked && evidenceAt < (dispute.requestedAt ?? "")) return evidenceRequired;
  if (step !== "escalate") return planTrigger(subject, step);
  return planTrigger(subject, nextStatus(dispute.status, "arbitrate") ? "arbitrate" : "pre_arbitrate");
}

function planDisputeOutcome(subject: Subject<"dispute_outcome"> | Subject<"chargeback_outcome">) {
  const { event } = subject;
  if (!subject.dispute) return notFound;
  const trigger =
    event.kind === "chargeback_outcome" ? chargebackTriggers[event.status] : networkTriggers[event.status];
  return trigger ? planTrigger(subject, trigger) : illegal;
}

/** What is left to credit: a refund may have come. */
function planCredit(subject: Subject, dueAt: Date | undefined): CardPlan | Rejected {
  const { original: disputed, dispute: before } = subject;
  if (!before || !disputed) return notFound;
  const isDue = dueAt && before.creditDueAt !== undefined && before.creditDueAt <= timestamp(dueAt);
  if (!isDue) return illegal;
  const creditedMinor = worthMinor(disputed, before.amountMinor);
  const change = changePosting(disputed, { creditedMinor });
  const { creditMinor } = change;
  return toDisputePlan(subject, before, { ...before, creditedMinor, creditDueAt: undefined }, "credit", {
    entryKind: "provisional_credit",
    postings: cardCredited(before.cardId, creditMinor),
    records: creditMinor > 0 ? [disputeRecord(subject, before, "provisionalCredit", creditMinor)] : [],
    writes: withOlder(disputed, change),
    movedMinor: creditMinor,
  });
}

function planTrigger(subject: Subject, trigger: StatusTrigger): CardPlan | Rejected {
  const { original: disputed, dispute: before } = subject;
  if (!before || !disputed) return notFound;
  const status = nextStatus(before.status, trigger);
  if (before.cardId !== subject.card.cardId) return illegal;
  if (!status) return illegalStatus(before.status, findStep(disputeTransitions, trigger).from);
  const isSubmitted = trigger === "submit" && before.status === "new";
  // A refund has come since it was made.
  if (isSubmitted && roomMinor(disputed) < 0) return amountExceeded;
  const { creditRules } = subject;
  if (isSubmitted && !creditRules) throw new Error("A dispute is submitted without rules for its credit.");
  const isCredited = isSubmitted && creditRules?.provisionalCreditAtOnce === true;
  const isKept = trigger === "win" || trigger === "write_off";
  const isEnded = !openStatuses.has(status);
  const keptMinor = isKept ? worthMinor(disputed, before.amountMinor) : 0;
  const after: Dispute = {
    ...before,
    status,
    ...(trigger === "request_evidence" && { requestedAt: timestamp(subject.at) }),
    creditedMinor: isCredited ? before.amountMinor : isEnded ? keptMinor : before.creditedMinor,
    creditDueAt:
      isSubmitted && creditRules && !isCredited
        ? timestamp(creditDeadline(subject.at, creditRules.timeZone))
        : isEnded
          ? undefined
          : before.creditDueAt,
  };
  const change = changePosting(disputed, {
    claimedMinor: isEnded ? keptMinor - before.amountMinor : 0,
    settledMinor: keptMinor,
    creditedMinor: after.creditedMinor - before.creditedMinor,
  });
  const { creditMinor } = change;
  return toDisputePlan(subject, before, after, trigger, {
    entryKind: chooseEntryKind(trigger, isCredited),
    postings: disputePostings(before, trigger, keptMinor, creditMinor),
    records: disputeRecords(subject, before, trigger, creditMinor),
    writes: withOlder(disputed, change),
    movedMinor: Math.abs(creditMinor),
    ...(isKept &&
      keptMinor < before.amountMinor && { denied: disputeDenied(before.amountMinor - keptMinor) }),
  });
}

/** Its deadline has passed, and the sweep has not come yet. */
function isOver({ deadlineAt }: Dispute, at: Date): boolean {
  return deadlineAt !== undefined && deadlineAt <= timestamp(at);
}

/** Undefined if the transaction cannot be disputed. */
function newDispute(
  { card, at }: CardSubject,
  disputed: Transaction,
  amountMinor: number,
  disputeId = newId("dispute"),
): Dispute | undefined {
  if (!findDisputeTypes(disputed.transType)) return undefined;
  const { programId, cardId, cardholderId, currency } = card;
  return {
    programId,
    disputeId,
    entityId: disputeId,
    cardId,
    cardholderId,
    currency,
    transId: disputed.transId,
    referenceCode: disputed.referenceCode,
    disputedType: disputed.transType,
    reason: "other",
    amountMinor,
    status: "new",
    liability: noLiability,
    creditedMinor: 0,
    createdAt: timestamp(at),
    changedAt: timestamp(at),
    version: 0,
  };
}

type DisputeEvent = CardEventOf<
  | "chargeback"
  | "chargeback_outcome"
  | "dispute_creation"
  | "dispute_change"
  | "dispute_step"
  | "dispute_outcome"
>;

/** If the dispute exists, its transaction is read after it. */
const disputeChange = <E extends DisputeEvent>(
  plan: (subject: CardSubject<E> & Disputed) => CardPlan | Rejected,
) =>
  cardChange<E>()({
    reads: (of, event) => {
      const { programId, cardId } = event;
      const [disputeId, transId] = [findDisputeId(event), "transId" in event ? event.transId : undefined];
      const reading = disputeId === undefined ? undefined : disputes.at(programId, disputeId).get();
      const get = async () => {
        const dispute = await reading;
        if (dispute) return transactions.at(programId, dispute.cardId, dispute.transId).get();
        return transId === undefined ? undefined : transactions.at(programId, cardId, transId).get();
      };
      const isSubmission = event.kind === "dispute_step" && event.step === "submit";
      return {
        account: of.account(),
        dispute: { get: async () => reading, parse: (stored: StoredItem) => disputes.parse(stored) },
        original: { get, parse: (stored: StoredItem) => transactions.parse(stored) },
        externalId: whenFailed(parsePointer),
        metadata: whenFailed(asFailed),
        formerId: whenFailed(asFailed),
        older: whenFailed((stored) => holds.parse(stored)?.olderMinor ?? 0),
        creditRules: isSubmission ? of.settings() : nothing,
      };
    },
    plan,
  });

/** Also where there is no item any more. */
const asFailed = (stored: StoredItem): object => stored ?? {};

function findDisputeId(event: DisputeEvent): string | undefined {
  if ("disputeId" in event) return event.disputeId;
  return "chargebackId" in event ? event.chargebackId : undefined;
}

export const chargeback = disputeChange<CardEventOf<"chargeback">>(planChargeback);
export const chargebackOutcome = disputeChange<CardEventOf<"chargeback_outcome">>(planDisputeOutcome);
export const disputeCreation = disputeChange<CardEventOf<"dispute_creation">>(planDisputeCreation);
export const disputeAmendment = disputeChange<CardEventOf<"dispute_change">>(planDisputeChange);
export const disputeStep = disputeChange<CardEventOf<"dispute_step">>(planDisputeStep);
export const disputeOutcome = disputeChange<CardEventOf<"dispute_outcome">>(planDisputeOutcome);
