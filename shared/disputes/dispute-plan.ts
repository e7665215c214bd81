import type { DisputeTrigger } from "../contract/disputes.ts";
import { entryPuts, journalEntry } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/postings.ts";
import type { CardPlan, CardSubject } from "../network-events/plan.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { type Transaction, transactionPut } from "../transactions/transaction.ts";
import { deadlineWrites, statusDeadline } from "./deadlines.ts";
import { type Dispute, disputeEvents, disputeWrites } from "./dispute.ts";
import { notifyOfDispute } from "./dispute-notification.ts";
import { withDisputeEntry } from "./liability.ts";

/** The dispute with its transaction, if they exist. */
export interface OfDispute {
  readonly dispute?: Dispute | undefined;
  readonly original?: Transaction | undefined;
}

interface Change {
  readonly entryKind: CardPlan["entryKind"];
  readonly postings: readonly Posting[];
  /** The last one moves the money, if any does. */
  readonly records: readonly Transaction[];
  readonly writes: NonNullable<CardPlan["writes"]>;
  readonly movedMinor: number;
  /** What the network keeps, or has refunded, of a dispute that brings the rest. */
  readonly denied?: readonly Posting[];
}

/** One commit: dispute, event, records, deadlines, and what is disputed in the journal. */
export function toDisputePlan(
  subject: CardSubject & OfDispute,
  before: Dispute | undefined,
  changed: Dispute,
  trigger: DisputeTrigger,
  { entryKind, postings, records, writes, movedMinor, denied = [] }: Change,
): CardPlan {
  const { at, original: disputed } = subject;
  const { programId, disputeId, status, amountMinor } = changed;
  const liability = [
    { kind: entryKind, postings },
    { kind: "dispute_denied" as const, postings: denied },
  ].reduce(withDisputeEntry, changed.liability);
  const deadline = before?.status === status ? before.deadlineAt : statusDeadline(status, at, disputed);
  const after = {
    ...changed,
    liability,
    deadlineAt: typeof deadline === "string" ? deadline : deadline && timestamp(deadline),
    transIdSc: newId("notification"),
    changedAt: timestamp(at),
  };
  const eventId = newId("event");
  const transaction = records.at(-1);
  const event = {
    entityId: eventId,
    trigger,
    status,
    amountMinor,
    liability,
    transIds: records.map(({ transId }) => transId),
    createdAt: timestamp(at),
  };
  const isPosted = movedMinor > 0 && transaction !== undefined;
  return {
    ...(transaction && { transaction }),
    entryKind,
    postings,
    relatedId: disputeId,
    writes: [
      ...writes,
      // It touches no account: only the dispute has it.
      ...(denied.length > 0
        ? entryPuts(programId, journalEntry("dispute_denied", disputeId, denied, at))
        : []),
      ...disputeWrites(before, after),
      disputeEvents.at(programId, disputeId, eventId).create(event),
      ...records.slice(0, -1).map(transactionPut),
      ...deadlineWrites(before, after),
    ],
    ...(transaction && { outboxKind: isPosted ? "transaction.posted" : "transaction.noted" }),
    dispute: notifyOfDispute(subject, after, before?.transIdSc, transaction?.transType),
    result: { amount: movedMinor, chargebackId: disputeId, disputeId },
  };
}
