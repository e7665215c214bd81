import { toRedelivery } from "../changes/change.ts";
import type { DisputeView } from "../contract/disputes.ts";
import { EventType, TransactionResult, type TransactionType } from "../contract/enums.ts";
import type { DisputeData, DisputeOriginal } from "../contract/notifications.ts";
import type { CardSubject, DisputeNotice } from "../network-events/plan.ts";
import {
  decimalText,
  type Notification,
  type NotifiedCard,
  notificationPut,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "../notifications/notification.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { numericCurrency } from "../transactions/transaction.ts";
import { type Dispute, toDisputeView } from "./dispute.ts";
import { disputeTypesOf } from "./transitions.ts";

interface DisputeFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the dispute's notification before, if there was one. */
  readonly original?: string | undefined;
  readonly card: NotifiedCard;
  readonly view: DisputeView;
  /** The type of the transaction that records the change; that of a chargeback where none does. */
  readonly transType: TransactionType;
}

/** A DISPUTE: its payload is what `GET /disputes/{disputeId}` would answer. */
function renderDispute({ transIdSc, original, card, view, transType }: DisputeFacts): Notification {
  const payload: DisputeOriginal = { cdcEvent: "DISPUTE", payload: view };
  const data: DisputeData = {
    MsgType: "DISPUTE",
    disputeId: view.disputeId,
    status: view.status,
    referenceCode: view.referenceCode,
    amount: decimalText(view.amount),
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
  return toNotification(card.programId, EventType.dispute, envelope);
}

/**
 * Tells endpoints and the outbox what became of the dispute. `original`: the notification before.
 */
export function notifyOfDispute(
  { card, at }: Pick<CardSubject, "card" | "at">,
  after: Dispute & { readonly transIdSc: string },
  original: string | undefined,
  transType: TransactionType = disputeTypesOf(after).opened,
): DisputeNotice {
  const view = toDisputeView(after);
  const { transIdSc, disputeId, status } = after;
  const notification = renderDispute({ transIdSc, original, card, view, transType });
  const notificationIds = [transIdSc];
  return {
    view,
    writes: [
      notificationPut(notification),
      outboxPut(card.programId, "dispute.changed", { card, disputeId, status, notificationIds }, at),
    ],
    redelivery: toRedelivery("dispute.changed", notificationIds) ?? [],
  };
}
