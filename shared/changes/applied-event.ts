import * as z from "zod";
import { ProcessorResult, type RejectionCode } from "../contract/processor.ts";
import { now, timestamp } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { type FailedConditions, transact, type WriteAction } from "../platform/table/transact.ts";
import { type Change, type Decided, type OfProgram, Redelivery, redeliveryPut } from "./change.ts";
import { execute, type Once } from "./execute.ts";

/** An event from outside, or of the platform in the place of one. It has an effect once. */
export interface SentEvent extends OfProgram {
  readonly kind: string;
  readonly eventId: string;
  /** Hashes what was sent under the id, where the sender may use one twice. */
  readonly requestHash?: string | undefined;
}

export type Applied = Extract<ProcessorResult, { readonly outcome: "applied" }>;

/** What any event's record has. */
export const appliedFields = {
  kind: z.string(),
  requestHash: z.string().optional(),
  result: ProcessorResult.optional(),
  notifications: z.union([Redelivery, z.array(Redelivery)]).optional(),
  appliedAt: z.string(),
};

/** What became of an event: its result, and the notifications to send again with it. */
export const appliedEvents = defineEntity({
  name: "processorEvent",
  schema: z.object(appliedFields),
  key: (programId: string, eventId: string) => ({ pk: `${programId}#EVENT#${eventId}`, sk: "EVENT" }),
});
type AppliedEvent = Pick<
  z.output<z.ZodObject<typeof appliedFields>>,
  "requestHash" | "result" | "notifications"
>;

const refused = (code: RejectionCode): ProcessorResult => ({ outcome: "refused", code });

/**
 * Makes the change of an event once by its id: a repetition gets the first result, and its
 * notifications are sent again. NOT_FOUND is not kept: the record may exist later.
 * @throws ContendedError when the time for retries is up
 */
export async function applyOnce<Event extends SentEvent, Found extends object>(
  change: Change<Event, Found, Applied, RejectionCode>,
  event: Event,
): Promise<ProcessorResult> {
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
  return first ?? rejection;
}

/** The record of an event without effect. */
export function rejectionRecord(event: SentEvent, result: ProcessorResult, at: Date): WriteAction {
  const { programId, eventId, kind, requestHash } = event;
  return appliedEvents
    .at(programId, eventId)
    .create({ kind, ...(requestHash !== undefined && { requestHash }), result, appliedAt: timestamp(at) });
}

function onceByEvent(event: SentEvent): Once<Applied, ProcessorResult> {
  const { programId, eventId, kind, requestHash } = event;
  return {
    writes: ({ answer, redelivery }: Decided<Applied>, at) => [
      appliedEvents.at(programId, eventId).create({
        ...{ kind, ...(requestHash !== undefined && { requestHash }), appliedAt: timestamp(at) },
        ...{ result: answer, notifications: redelivery },
      }),
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
  if (first.requestHash !== undefined && first.requestHash !== event.requestHash)
    return refused("ILLEGAL_TRANSITION");
  await redeliver(event.programId, first);
  return first.result;
}

/** A repetition sends the notifications of the first result again. */
export async function redeliver(
  programId: string,
  { notifications }: Pick<AppliedEvent, "notifications">,
): Promise<void> {
  const all = [notifications ?? []].flat();
  if (all.length > 0) await transact(all.map((one) => redeliveryPut(programId, one, now())));
}
