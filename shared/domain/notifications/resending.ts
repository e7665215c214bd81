import * as z from "zod";
import { EventType } from "../../contract/enums.ts";
import { OutboxEvent } from "../../contract/outbox.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** The event type of the notifications that an event of this kind may have. */
export const eventTypes: Partial<Record<OutboxEvent["kind"], EventType>> = {
  "hold.placed": EventType.hold,
  "transaction.posted": EventType.settlement,
  "fee.posted": EventType.settlement,
  "deposit.pending": EventType.depositPending,
  "deposit.cleared": EventType.depositCleared,
  "deposit.returned": EventType.depositReturned,
};

/** The notifications of an event, all of one type, and the only endpoint that they are for. */
export const Resending = z.object({
  notificationIds: z.array(z.string()),
  eventType: integerEnum(EventType),
  webhookId: z.string().optional(),
});
export type Resending = z.output<typeof Resending>;

/** The event by which notifications are sent again as they are: to one endpoint, or to all that want their type. */
export function resendingPut(programId: string, resending: Resending, at: Date): WriteAction {
  return outboxPut(programId, "notification.resent", resending, at);
}

/** The notifications of the event that a transaction writes, if any: an upstream duplicate sends them again. */
export function findResending(writes: readonly WriteAction[]): Resending | undefined {
  for (const write of writes) {
    const event = OutboxEvent.safeParse("Put" in write && write.Put.Item);
    const named = event.success && {
      ...event.data.detail,
      eventType: eventTypes[event.data.kind],
    };
    const parsed = Resending.safeParse(named);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
