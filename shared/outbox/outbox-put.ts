import { now, timestamp, unixSeconds } from "../clock.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import { environment } from "../environment.ts";
import { newId } from "../id.ts";
import { issuingKey } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";

const keptSeconds = 30 * 86_400;

/**
 * The event to publish, written in the transaction of the change that it speaks of; the table's stream carries it to
 * the bus. The item is kept for 30 days, longer than the stream's own 24 hours, so that events can be published again
 * by hand.
 */
export function outboxPut(
  programId: string,
  kind: OutboxEvent["kind"],
  detail: OutboxEvent["detail"],
  at: Date = now(),
): WriteAction {
  const event: OutboxEvent = {
    eventId: newId("event"),
    kind,
    programId,
    occurredAt: timestamp(at),
    detail,
  };
  return {
    name: "outbox",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.outbox(programId, event.eventId),
        ...event,
        expiresAtSeconds: unixSeconds(at) + keptSeconds,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
