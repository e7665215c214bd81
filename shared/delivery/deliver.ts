import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import DataLoader from "dataloader";
import { now } from "../platform/clock.ts";
import { madeAt } from "../platform/id.ts";
import { correlate } from "../platform/log.ts";
import { logMeasured } from "../platform/metrics.ts";
import { consumeTogether } from "../platform/queue/consume-batch.ts";
import { readBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
import { type Attempt, attemptKey, followUp, recordAttempt, type Subject } from "./attempt.ts";
import { type Delivery, parseDelivery, toLogged } from "./delivery.ts";
import { recordHealth, recordSlowness } from "./endpoint-health.ts";
import { sendInTurn } from "./endpoint-turn.ts";
import { isDelivered, type Outcome, send } from "./send.ts";

type Item = Readonly<Record<string, unknown>>;
/** Reads items of the issuing table; a batch of messages shares one call. */
export type ReadItem = (key: Key) => Promise<Item | undefined>;
/** Undefined if there is nothing to send any more. */
export type ReadSubject = (delivery: Delivery, readItem: ReadItem) => Promise<Subject | undefined>;

/**
 * Attempts a batch concurrently: a slow receiver delays no other.
 * @param isForSlow whether the queue is the one for slow endpoints
 */
export function consumeDeliveries(
  event: SQSEvent,
  readSubject: ReadSubject,
  isForSlow: (record: SQSRecord) => boolean = () => false,
): Promise<SQSBatchResponse> {
  const items = new DataLoader(readEach, { cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}` });
  const readItem: ReadItem = (key) => items.load(key);
  return consumeTogether(event, async (record) => {
    const delivery = parseDelivery(record.body);
    correlate({ ...delivery.cause, eventId: delivery.deliveryId });
    // Both are read before anything is written.
    const [subject, made] = await Promise.all([
      readSubject(delivery, readItem),
      readItem(attemptKey(delivery)),
    ]);
    if (subject === undefined) return;
    // A copy of the message already made this attempt.
    if (made) return followUp(delivery, subject, made as unknown as Attempt);
    const attempt = () => makeAttempt(delivery, subject);
    if (delivery.kind !== "notification" || !subject.endpoint) return attempt();
    await sendInTurn(delivery, subject.endpoint, isForSlow(record), attempt);
  });
}

async function readEach(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const items = await readBatch(keys);
  return keys.map(({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk));
}

async function makeAttempt(delivery: Delivery, subject: Subject): Promise<void> {
  const { content, endpoint } = subject;
  const sending = send(content);
  if (endpoint) await recordSlowness(endpoint, sending);
  const outcome = await sending;
  logAttempt(delivery, outcome);
  const made = await recordAttempt(delivery, subject, outcome);
  if (endpoint) await recordHealth(endpoint, isDelivered(outcome), outcome.latencyMs);
  await followUp(delivery, subject, made);
}

/** The lag is from the event to the answer. It is the receiver's own after a retry or deferral. */
export function logAttempt(delivery: Delivery, outcome: Outcome): void {
  const { deliveryId, attempt, deferrals } = delivery;
  const { status, failure, latencyMs } = outcome;
  const lag = attempt === 1 && deferrals === 0 ? "DeliveryLag" : "RetriedDeliveryLag";
  logMeasured("Delivery attempted.", { ...toLogged(delivery), status, failure, latencyMs }, () => ({
    DeliveryAttempts: 1,
    DeliveryFailures: isDelivered(outcome) ? 0 : 1,
    ...(isDelivered(outcome) && { [lag]: now().getTime() - madeAt(deliveryId).getTime() }),
  }));
}
