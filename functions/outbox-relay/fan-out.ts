import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import {
  makeEventDeliveries,
  type QueuedMessage,
  type ReadEndpoints,
  sendQueued,
} from "../../shared/notifications/delivery/delivery.ts";
import { BoundedMap } from "../../shared/platform/bounded-map.ts";
import { inTime } from "../../shared/platform/clock.ts";
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
  const work = withinTime(limitMs, () => fanOutAll(events, readEndpoints));
  const fannedOut = await inTime(limitMs, work);
  if (!fannedOut) log.warn("The fan-out takes too long and is left to the bus.", { count: events.length });
  return fannedOut ?? new Set();
}

/** Programs' endpoints, as this process read them last. */
const known = new BoundedMap<string, Awaited<ReturnType<ReadEndpoints>>>(1_000);

/**
 * Queues at once what known endpoints wanted, and then what these lack by a read that begins now.
 * What an endpoint no longer wants, the sender drops.
 */
async function fanOutAll(
  events: readonly OutboxEvent[],
  readEndpoints: ReadEndpoints,
): Promise<ReadonlySet<string>> {
  const recall: ReadEndpoints = async (programId) => known.get(programId) ?? [];
  const early = await Promise.all(events.map((event) => makeEventDeliveries(event, recall).catch(() => [])));
  const sending = sendQueued(early);
  const readAnew: ReadEndpoints = async (programId) => {
    const endpoints = await readEndpoints(programId);
    known.set(programId, endpoints);
    return endpoints;
  };
  const made = await Promise.all(
    events.map((event) => makeEventDeliveries(event, readAnew).catch((error) => leave(event, error))),
  );
  const toText = ({ message }: QueuedMessage) => JSON.stringify(message.body);
  const sent = new Set(early.flat().map(toText));
  const late = made.map((messages = []) => messages.filter((one) => !sent.has(toText(one))));
  const errors = [await sending, await sendQueued(late)] as const;
  const fannedOut = new Set<string>();
  for (const [index, event] of events.entries()) {
    const { eventId, kind, cause } = event;
    const [messages, error] = [made[index], errors.map((some) => some[index]).find((one) => one)];
    if (error) leave(event, error);
    if (error || !messages) continue;
    fannedOut.add(eventId);
    log.info("The event is fanned out.", { ...cause, eventId, kind, messages: messages.length });
  }
  return fannedOut;
}

function leave({ eventId, kind, cause }: OutboxEvent, error: unknown): undefined {
  log.warn("The fan-out failed and is left to the bus.", { ...cause, eventId, kind, error });
}
