import type { Applied } from "../contract/processor.ts";
import { ProcessorResult, type RejectionCode } from "../contract/processor.ts";
import { now } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import { type FailedConditions, transact } from "../platform/table/transact.ts";
import {
  type AppliedEvent,
  appliedEvents,
  beginRecord,
  isAnother,
  redeliver,
  rejectionRecord,
  type SentEvent,
} from "./applied-event.ts";
import type { Change, Decided, Rejected } from "./change.ts";
import { execute, type Once } from "./execute.ts";

const refused = (code: RejectionCode): ProcessorResult => ({ outcome: "refused", code });

/**
 * Makes the change of an event once by its id: a repetition gets the first result, and its
 * notifications are sent again. NOT_FOUND is not kept: the record may exist later.
 * @throws ContendedError when the time for retries is up
 */
export async function applyOnce<Event extends SentEvent, Found extends object>(
  change: Change<Event, Found, Applied, RejectionCode>,
  event: Event,
): Promise<ProcessorResult & Pick<Rejected, "message">> {
  const outcome = await execute(change, event, onceByEvent(event));
  if ("answer" in outcome) {
    const { programId, kind } = event;
    if (outcome.isNew) log.info("The event is applied.", { programId, kind });
    // Parsed as the first result of a repetition is, so that both are the same to the byte.
    return ProcessorResult.parse(outcome.answer);
  }
  const rejection = refused(outcome.rejected);
  if (outcome.rejected === "NOT_FOUND") return rejection;
  const kept = await transact([rejectionRecord(event, rejection, now())]);
  const first = kept.committed ? undefined : await firstResult(event, kept.failedConditions);
  return first ?? { ...rejection, message: outcome.message };
}

function onceByEvent(event: SentEvent): Once<Applied, ProcessorResult> {
  const record = appliedEvents.at(event.programId, event.eventId);
  return {
    writes: ({ answer, redelivery }: Decided<Applied>, at) => [
      record.create({ ...beginRecord(event, at), result: answer, notifications: redelivery }),
    ],
    first: async (failed) => (failed ? firstResult(event, failed) : undefined),
  };
}

async function firstResult(event: SentEvent, failed: FailedConditions): Promise<ProcessorResult | undefined> {
  const first = appliedEvents.parse(failed.get("processorEvent"));
  return first && answerAgain(event, first);
}

/** The first result of an event. Refused if its id is another event's. */
async function answerAgain(event: SentEvent, first: AppliedEvent): Promise<ProcessorResult | undefined> {
  if (isAnother(event, first)) return refused("ILLEGAL_TRANSITION");
  await redeliver(event.programId, first);
  return first.result;
}
