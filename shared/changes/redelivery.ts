import * as z from "zod";
import { EventType } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { integerEnum } from "../contract/primitives.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** The event type of the notifications that an event of this kind can have. */
export const eventTypes: Partial<Record<OutboxEvent["kind"], EventType>> = {
  "hold.placed": EventType.hold,
  "transaction.posted": EventType.settlement,
  "fee.posted": EventType.settlement,
  "transfer.completed": EventType.settlement,
  "card.swept": EventType.settlement,
  "card.debt_settled": EventType.settlement,
  "deposit.pending": EventType.depositPending,
  "deposit.cleared": EventType.depositCleared,
  "deposit.returned": EventType.depositReturned,
  "dispute.changed": EventType.dispute,
};

/** Notifications of one event and one type. With `webhookId`, for this endpoint only. */
export const Redelivery = z.object({
  notificationIds: z.array(z.string()),
  eventType: integerEnum(EventType),
  webhookId: z.string().optional(),
});
export type Redelivery = z.output<typeof Redelivery>;

/** Redelivers notifications unchanged: to one endpoint, or to all subscribers of their type. */
export function redeliveryPut(programId: string, redelivery: Redelivery, at: Date): WriteAction {
  return outboxPut(programId, "notification.resent", redelivery, at);
}

/** The notifications that a repetition of their cause redelivers, if any. */
export function toRedelivery(
  kind: OutboxEvent["kind"],
  notificationIds: readonly string[] | undefined,
): Redelivery | undefined {
  const eventType = eventTypes[kind];
  return notificationIds && eventType && { notificationIds: [...notificationIds], eventType };
}
