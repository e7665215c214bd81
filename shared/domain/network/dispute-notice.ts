import type { TransactionType } from "../../contract/enums.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { CardIdentity } from "../cards/card.ts";
import { toRedelivery } from "../changes/redelivery.ts";
import { type Dispute, toDisputeView } from "../disputes/dispute.ts";
import { disputeTypesOf } from "../disputes/transitions.ts";
import { renderDispute } from "../notifications/dispute-notification.ts";
import { notificationPut } from "../notifications/notification.ts";

/** A changed dispute, with the id of its notification. */
export interface NotifiedDispute {
  readonly after: Dispute & { readonly transIdSc: string };
  /** Of the notification before. */
  readonly original?: string | undefined;
}

/** The dispute's notification, and its event. */
export function notifyOfDispute(
  card: CardIdentity,
  { after, original }: NotifiedDispute,
  transType: TransactionType = disputeTypesOf(after).opened,
  at: Date,
) {
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
