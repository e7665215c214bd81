import { toRedelivery } from "../changes/change.ts";
import { toDecimal } from "../contract/currencies.ts";
import type { DisputeTrigger } from "../contract/disputes.ts";
import { EventType, numericCurrency, TransactionResult, type TransactionType } from "../contract/enums.ts";
import type { DisputeData, DisputeOriginal } from "../contract/notifications.ts";
import { entryPuts, journalEntry } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/postings.ts";
import type { CardPlan, CardSubject, DisputeNotice } from "../network-events/plan.ts";
import {
  newNotificationId,
  notificationPut,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "../notifications/notification.ts";
import { notifyPosting } from "../notifications/settlement-notification.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { transactionPut } from "../transactions/transaction-rules.ts";
import { deadlineWrites, statusDeadline } from "./deadlines.ts";
import { type Dispute, disputeEvents, disputeWrites, toDisputeView } from "./dispute.ts";
import { withDisputeEntry } from "./liability.ts";
import { disputeTypesFor } from "./transitions.ts";

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
    transIdSc: newNotificationId(subject.card.cardId),
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
    ...(transaction &&
      (isPosted
        ? { outboxKind: "transaction.posted", notify: notifyPosting }
        : { outboxKind: "transaction.noted" })),
    dispute: notifyOfDispute(subject, after, before?.transIdSc, transaction?.transType),
    result: { amount: movedMinor, chargebackId: disputeId, disputeId },
  };
}

/**
 * Tells endpoints and the outbox what became of the dispute. A DISPUTE's payload is what
 * `GET /disputes/{disputeId}` would answer. `original`: the notification before. `transType`: of
 * the transaction that records the change, or of a chargeback where none does.
 */
function notifyOfDispute(
  { card, at }: Pick<CardSubject, "card" | "at">,
  after: Dispute & { readonly transIdSc: string },
  original: string | undefined,
  transType: TransactionType = disputeTypesFor(after).opened,
): DisputeNotice {
  const answer = toDisputeView(after);
  // Receivers get what the network and the customer did.
  const { externalId: _, hasMetadata: __, ...view } = answer;
  const { transIdSc, disputeId, status } = after;
  const payload: DisputeOriginal = { cdcEvent: "DISPUTE", payload: view };
  const data: DisputeData = {
    MsgType: "DISPUTE",
    disputeId,
    status,
    referenceCode: view.referenceCode,
    amount: toDecimal(view.amount),
    currencyCode: numericCurrency[card.currency],
    OriginalDataFromSp: JSON.stringify(payload),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    original,
    TransId_Issuer: String(traceNumber("settlement")),
    TransType: transType,
    TransResult: TransactionResult.dispute,
    TransAmount: view.amount,
    TransMerchantName: "",
    TransDate: view.dateChanged,
    data,
  });
  const notificationIds = [transIdSc];
  return {
    view: answer,
    writes: [
      notificationPut(toNotification(card.programId, EventType.dispute, envelope)),
      outboxPut(card.programId, "dispute.changed", { card, disputeId, status, notificationIds }, at),
    ],
    redelivery: toRedelivery("dispute.changed", notificationIds) ?? [],
  };
}
