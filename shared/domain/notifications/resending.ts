import * as z from "zod";
import { EventType } from "../../contract/enums.ts";
import { OutboxEvent } from "../../contract/outbox.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { eventTypeOf } from "./event-type.ts";

/** Notifications of one kind that an event has, and the only endpoint that they are for. */
export const Resending = z.object({
  notificationIds: z.array(z.string()),
  eventType: integerEnum(EventType),
  webhookId: z.string().optional(),
});
export type Resending = z.output<typeof Resending>;

/** The event that notifications are to go out again as they are: to one endpoint, or to all that want their kind. */
export function resendingPut(programId: string, resending: Resending, at: Date): WriteAction {
  return outboxPut(programId, "notification.resent", resending, at);
}

/** The notifications that the event in a transaction's outbox names, if any: what to send again for an upstream duplicate. */
export function notificationsIn(writes: readonly WriteAction[]): Resending | undefined {
  for (const write of writes) {
    const event = OutboxEvent.safeParse("Put" in write && write.Put.Item);
    const named = event.success && {
      ...event.data.detail,
      eventType: eventTypeOf[event.data.kind],
    };
    const parsed = Resending.safeParse(named);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
