import { PutEventsCommand, type PutEventsCommandOutput } from "@aws-sdk/client-eventbridge";
import { log } from "../../shared/platform/log.ts";
import { eventBus } from "../../shared/platform/outbox/event-bus.ts";
import { inBatches, type OutboxEntry } from "./outbox-entry.ts";

/**
 * Puts the entries on the bus in their order. Answers the sequence number of the first that was not taken, after
 * which nothing more is sent; undefined when all were. A call that succeeds may still have refused entries.
 */
export async function publish(entries: readonly OutboxEntry[]): Promise<string | undefined> {
  for (const batch of inBatches(entries)) {
    const failed = await putBatch(batch);
    if (failed) return failed.sequenceNumber;
  }
  return undefined;
}

async function putBatch(batch: readonly OutboxEntry[]): Promise<OutboxEntry | undefined> {
  try {
    const answer = await eventBus.send(new PutEventsCommand({ Entries: batch.map(({ entry }) => entry) }));
    const taken = answer.FailedEntryCount ? firstFailed(answer) : batch.length;
    for (const { ids, entry } of batch.slice(0, taken)) {
      log.info("The event is on the bus.", { ...ids, kind: entry.DetailType });
    }
    const refused = batch[taken];
    if (refused) {
      log.warn("The bus refused entries.", {
        ...refused.ids,
        count: answer.FailedEntryCount,
        code: answer.Entries?.[taken]?.ErrorCode,
      });
    }
    return refused;
  } catch (error) {
    log.warn("The bus could not be reached.", { ...batch[0]?.ids, error });
    return batch[0];
  }
}

function firstFailed({ Entries = [] }: PutEventsCommandOutput): number {
  return Math.max(
    Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined),
    0,
  );
}
