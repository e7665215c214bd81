import { toRedelivery } from "../changes/redelivery.ts";
import type { TransactionType } from "../contract/enums.ts";
import type { CardSubject, DisputeNotice } from "../network-events/plan.ts";
import { notificationPut } from "../notifications/notification.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { type Dispute, toDisputeView } from "./dispute.ts";
import { renderDispute } from "./dispute-notification.ts";
import { disputeTypesOf } from "./transitions.ts";

/**
 * The dispute's notification, and its event.
 * @param original the id of the notification before
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
