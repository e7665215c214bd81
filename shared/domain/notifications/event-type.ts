import { EventType } from "../../contract/enums.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";

/** The event type of the notifications that an event of this kind may have. */
export const eventTypeOf: Partial<Record<OutboxEvent["kind"], EventType>> = {
  "hold.placed": EventType.hold,
  "transaction.posted": EventType.settlement,
  "fee.posted": EventType.settlement,
  "deposit.pending": EventType.depositPending,
  "deposit.cleared": EventType.depositCleared,
  "deposit.returned": EventType.depositReturned,
};
