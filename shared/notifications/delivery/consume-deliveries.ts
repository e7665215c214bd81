import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import DataLoader from "dataloader";
import { now } from "../../platform/clock.ts";
import { idTime } from "../../platform/id.ts";
import { correlate } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import { consumeTogether } from "../../platform/queue/consume-batch.ts";
import { readBatch } from "../../platform/table/batch.ts";
import type { ReadItem } from "../../platform/table/entity.ts";
import { GatheredPuts } from "../../platform/table/gathered-puts.ts";
import type { Key } from "../../platform/table/keys.ts";
import type { StoredItem } from "../../platform/table/transact.ts";
import {
  followUp,
  isDelivered,
  locateAttempt,
  type Outcome,
  type PreparedDelivery,
  recordAttempt,
} from "./attempt.ts";
import { type Delivery, parseDelivery, toLogged } from "./delivery.ts";
import { recordHealth, recordSlowness } from "./endpoint.ts";

/** Undefined if there is nothing to send. `readItem` shares one call for a batch of messages. */
type PrepareDelivery = (
  delivery: Delivery,
  readItem: ReadItem,
  queueArn: string,
) => Promise<PreparedDelivery | undefined>;

/** Attempts a batch concurrently: a slow receiver delays no other. */
export function consumeDeliveries(event: SQSEvent, prepare: PrepareDelivery): Promise<SQSBatchResponse> {
  const items = new DataLoader(readEach, { cacheKeyFn: ({ pk, sk }) => `${pk} ${sk}` });
  const readItem: ReadItem = (key) => items.load(key);
  const successes = new GatheredPuts(event.Records.length);
  return consumeTogether(event, async (record) => {
    const delivery = parseDelivery(record.body);
    correlate({ ...delivery.cause, eventId: delivery.deliveryId });
    // Both are read before anything is written.
    const [prepared, made] = await Promise.all([
      prepare(delivery, readItem, record.eventSourceARN),
      locateAttempt(delivery).get(readItem),
    ]);
    if (prepared === undefined) return;
    // A copy of the message already made this attempt.
    if (made) return followUp(delivery, prepared, made);
    const attempt = () => makeAttempt(delivery, prepared, successes);
    await (prepared.inTurn ? prepared.inTurn(attempt) : attempt());
  });
}

async function readEach(keys: readonly Key[]): Promise<StoredItem[]> {
  const items = await readBatch(keys);
  return keys.map(({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk));
}

async function makeAttempt(delivery: Delivery, prepared: PreparedDelivery, successes: GatheredPuts) {
  const { endpoint } = prepared;
  const sending = prepared.send();
  if (endpoint) await recordSlowness(endpoint, sending);
  const outcome = await sending;
  logAttempt(delivery, outcome);
  const made = await recordAttempt(delivery, prepared, outcome, successes);
  if (endpoint) await recordHealth(endpoint, isDelivered(outcome), outcome.latencyMs);
  await followUp(delivery, prepared, made);
}

/** The lag from the event to the answer. After a retry or deferral, the receiver caused it. */
export function logAttempt(delivery: Delivery, outcome: Outcome): void {
  const { deliveryId, attempt, deferrals } = delivery;
  const { status, failure, latencyMs } = outcome;
  const lag = attempt === 1 && deferrals === 0 ? "DeliveryLag" : "RetriedDeliveryLag";
  logMeasured("Delivery attempted.", { ...toLogged(delivery), status, failure, latencyMs }, () => ({
    DeliveryAttempts: 1,
    DeliveryFailures: isDelivered(outcome) ? 0 : 1,
    ...(isDelivered(outcome) && { [lag]: now().getTime() - idTime(deliveryId).getTime() }),
  }));
}
