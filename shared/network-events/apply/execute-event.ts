import type { OpenQuestion } from "../../authorizations/decisions/decision.ts";
import { isAnother, redeliver, rejectionRecord } from "../../changes/applied-event.ts";
import type { Change, OfProgram } from "../../changes/change.ts";
import { type AnswerOrRejection as Answered, execute, type Once } from "../../changes/execute.ts";
import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import { type FailedConditions, transact } from "../../platform/table/transact.ts";
import type { Becomes, CardChange, CardChanges, SentCardEvent } from "../card-change.ts";
import type { CardEvent, PlannedEvent } from "../card-event.ts";
import {
  type CardOutcome,
  type EventRecord,
  eventRecord,
  eventRecords,
  notFound,
  type Refusal,
} from "../plan.ts";

export type EventOptions = Omit<SentCardEvent, "programId" | "event">;
export type AnswerOrRejection<A> = Answered<A, Refusal>;

export type Outcome = CardOutcome | Becomes;

/** What the event changes. */
export function findChange(changes: CardChanges, { kind }: PlannedEvent): CardChange<CardEvent> {
  return changes[kind as CardEvent["kind"]] as unknown as CardChange<CardEvent>;
}

export const toSent = (event: PlannedEvent, options: EventOptions = {}) =>
  ({ programId: event.programId, event, ...options }) as SentCardEvent;

/**
 * Executes an event once per `eventId`: a repetition gets the first result and redelivers its
 * notifications. NOT_FOUND and REFERENCE_EXISTS are not stored as results: the record may exist
 * later, and a settlement that is not posted stays in its queue.
 * @throws ContendedError
 */
export async function applyEvent(
  changes: CardChanges,
  sent: ProcessorEvent,
  options: EventOptions = {},
): Promise<ProcessorResult> {
  const named = await changes.messages.asRepetition(sent);
  const { tied } = findChange(changes, named);
  const event = tied?.resolve
    ? await tied.resolve(named as CardEvent, (open) => changes.asking.awaitDecision(changes, open))
    : named;
  if ("rejected" in event)
    return { outcome: "refused", code: event === notFound ? "NOT_FOUND" : illegalCode };
  if ("outcome" in event && !("kind" in event)) return event;
  const result = await applyOne(changes, event as ProcessorEvent, options);
  const following = findChange(changes, event).tied?.followedBy(event as CardEvent, result);
  if (following) await applyOne(changes, following, options);
  return result;
}

async function applyOne(
  changes: CardChanges,
  event: ProcessorEvent,
  options: EventOptions,
): Promise<ProcessorResult> {
  const change = findChange(changes, event);
  const outcome = await executeSent(changes, change, toSent(event, options), onceById(changes, event));
  if ("answer" in outcome) {
    const { answer } = outcome;
    if ("becomes" in answer) return applyEvent(changes, answer.becomes as ProcessorEvent, options);
    if ("first" in answer) return settle(changes, answer.first);
    // Parsed as the first result of a repetition is, so that both are the same to the byte.
    return answer.question
      ? changes.asking.decide(changes, answer.question)
      : ProcessorResult.parse(answer.result);
  }
  const code = outcome.rejected;
  const isLast = "lastAttempt" in event && event.lastAttempt === true;
  if (code === "REFERENCE_EXISTS") {
    await changes.noteRefused(event, code);
    return { outcome: "refused", code };
  }
  const isPrecedingAwaited = "precedingEventId" in event && event.precedingEventId !== undefined;
  // It may be found as soon as the one before it has come.
  if (code === "NOT_FOUND" && isPrecedingAwaited && !options.isPrecedingMissing)
    return { outcome: "refused", code };
  const told = code === "NOT_FOUND" ? code : illegalCode;
  await changes.noteRefused(event, told);
  const rejection: ProcessorResult = { outcome: "refused", code: told };
  if (code === "NOT_FOUND" && !isLast) return rejection;
  const at = now();
  const recorded = await transact([
    rejectionRecord(event, rejection, at),
    ...changes.messages.repetitionWrites(event, at),
    ...changes.refusedWrites(event, at),
  ]);
  const first = !recorded.committed && (await repeat(changes, event, recorded.failedConditions));
  return first ? settle(changes, first) : rejection;
}

interface First {
  readonly first: ProcessorResult | Pending;
}

/** There is no result yet: another process has asked. */
interface Pending {
  readonly waitsFor: OpenQuestion;
}

async function settle(changes: CardChanges, first: ProcessorResult | Pending): Promise<ProcessorResult> {
  return "waitsFor" in first ? changes.asking.awaitDecision(changes, first.waitsFor) : first;
}

function onceById(changes: CardChanges, event: PlannedEvent): Once<Outcome, First> {
  return {
    writes: recordWrites(changes, event),
    first: async (failed, rejected) => {
      // Another copy of this event may have taken it, and a conflict may have hidden its record.
      const mayHide = rejected === "REFERENCE_EXISTS";
      if (!failed && !mayHide) return undefined;
      const first = failed
        ? await repeat(changes, event, failed)
        : await answerAgain(event, await eventRecords.at(event.programId, event.eventId).get());
      return first && { first };
    },
  };
}

const illegalCode = "ILLEGAL_TRANSITION";

/** What a repetition is answered: the first result, of which it notifies again. */
async function repeat(
  { messages }: CardChanges,
  event: PlannedEvent,
  failed: FailedConditions,
): Promise<ProcessorResult | Pending | undefined> {
  const record = eventRecords.parse(failed.get("processorEvent"));
  const first = record ? undefined : messages.asFirst(event, failed);
  if (!first) return answerAgain(event, record);
  return answerAgain(first, await eventRecords.at(first.programId, first.eventId).get());
}

async function answerAgain(
  event: PlannedEvent,
  first: EventRecord | undefined,
): Promise<ProcessorResult | Pending | undefined> {
  if (first && isAnother(event, first)) return { outcome: "refused", code: illegalCode };
  if (first?.question) return { waitsFor: first.question };
  if (first) await redeliver(event.programId, first);
  return first?.result;
}

interface Sent extends OfProgram {
  readonly event: PlannedEvent;
}

/** What makes the event's change happen once: its record, and what names its message. */
export function recordWrites({ messages }: CardChanges, event: PlannedEvent): Once<Outcome>["writes"] {
  return ({ answer, ...decided }, at) =>
    "becomes" in answer
      ? []
      : [
          eventRecord(event, { ...decided, answer }, at),
          ...messages.repetitionWrites(event, at),
          ...messages.nameWrites(event, at),
        ];
}

/** Executes the change with the event's record, and logs it once: a repetition changes nothing. */
export async function executeSent<Event extends Sent, Found extends object, First>(
  { besideCommit }: Pick<CardChanges, "besideCommit">,
  change: Change<Event, Found, Outcome, Refusal>,
  sent: Event,
  once: Once<Outcome, First>,
): Promise<Answered<Outcome | First, Refusal>> {
  const [outcome] = await Promise.all([execute(change, sent, once), besideCommit(sent.programId)]);
  if ("answer" in outcome && outcome.isNew) logApplied(sent.event, outcome.answer as CardOutcome);
  return outcome;
}

function logApplied({ programId, kind }: PlannedEvent, { result, question }: CardOutcome): void {
  // It is logged with its decision.
  if (question) return;
  const message = "The event is applied.";
  const { approved, declineReason: reason, decidedBy } = result;
  if (approved !== undefined) {
    logMeasured(message, { programId, kind, reason, decidedBy }, () => ({
      Authorizations: 1,
      AuthorizationsApproved: approved ? 1 : 0,
    }));
  } else log.info(message, { programId, kind });
}
