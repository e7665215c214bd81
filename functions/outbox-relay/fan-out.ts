import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeEventDeliveries,
  type QueuedMessage,
  type ReadEndpoints,
  sendQueued,
} from "../../shared/notifications/delivery/delivery.ts";
import { pause } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";

/** Then the bus takes the events to the fan-out function: a slow queue must not hold up the bus. */
const limitMs = 3_000;

/**
 * Queues the deliveries of events with notifications. Returns the ids of those for which all are
 * queued; `webhook-fanout` repeats the others. Never rejects: one Program must not hold up others.
 */
export async function fanOut(
  events: readonly OutboxEvent[],
  readEndpoints: ReadEndpoints,
): Promise<ReadonlySet<string>> {
  const inTime = await Promise.race([
    withinTime(limitMs, () => fanOutAll(events, readEndpoints)),
    pause(limitMs).then(() => undefined),
  ]);
  if (!inTime) log.warn("The fan-out takes too long and is left to the bus.", { count: events.length });
  return inTime ?? new Set();
}

async function fanOutAll(
  events: readonly OutboxEvent[],
  readEndpoints: ReadEndpoints,
): Promise<ReadonlySet<string>> {
  const made = await Promise.all(
    events.map((event) => makeEventDeliveries(event, readEndpoints).catch((error) => leave(event, error))),
  );
  const errors = await sendQueued(made.map((messages) => messages ?? []));
  const fannedOut = new Set<string>();
  for (const [index, event] of events.entries()) {
    const [messages, error] = [made[index], errors[index]];
    if (error) leave(event, error);
    else if (messages) {
      fannedOut.add(event.eventId);
      logFannedOut(event, messages);
    }
  }
  return fannedOut;
}

function leave({ eventId, kind, cause }: OutboxEvent, error: unknown): undefined {
  log.warn("The fan-out failed and is left to the bus.", { ...cause, eventId, kind, error });
}

function logFannedOut({ eventId, kind, cause }: OutboxEvent, { length }: readonly QueuedMessage[]) {
  log.info("The event is fanned out.", { ...cause, eventId, kind, messages: length });
}
