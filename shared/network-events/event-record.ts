import * as z from "zod";
import { Decision, LateAnswer, OpenQuestion } from "../authorizations/decisions/decision.ts";
import { appliedEvents, appliedFields } from "../changes/applied-event.ts";
import type { Decided } from "../changes/change.ts";
import { timestamp } from "../platform/clock.ts";
import { present } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { PlannedEvent } from "./card-event.ts";
import type { CardOutcome } from "./plan.ts";

/** With its question, if a receiver is asked: while that is open, there is no result. */
const EventRecord = z.object({
  ...appliedFields,
  question: OpenQuestion.optional(),
  decision: Decision.optional(),
  lateAnswer: LateAnswer.optional(),
});
export type EventRecord = Readonly<z.output<typeof EventRecord>>;

/** An event's deduplication record: its result, and the notifications to redeliver. */
export const eventRecords = defineEntity({
  name: "processorEvent",
  schema: EventRecord,
  key: appliedEvents.key,
});

/** The record that makes the event's change happen once. */
export function eventRecord(
  event: PlannedEvent,
  { answer, redelivery: notifications }: Decided<CardOutcome>,
  at: Date,
): WriteAction {
  const { result, question, decision } = answer;
  const kind = "decides" in event ? event.decides : event.kind;
  const common = { kind, ...hashOf(event), appliedAt: timestamp(at) };
  if (question) return recordOf(event).create({ ...common, question: question.open });
  if (!decision) return recordOf(event).create({ ...common, result, notifications });
  const decided = { ...common, result, notifications, decision };
  // Named apart: the relay reads only new items, so this overwrite cannot carry the event.
  return { ...recordOf(event).put(decided, { question: present }), name: "decision" };
}

function hashOf(event: PlannedEvent): { requestHash?: string } {
  const requestHash = "requestHash" in event ? event.requestHash : undefined;
  return requestHash === undefined ? {} : { requestHash };
}

/** Whether the event only has the same `eventId` as the one of the record. */
export function isAnother(event: PlannedEvent, { requestHash }: EventRecord): boolean {
  return requestHash !== undefined && hashOf(event).requestHash !== requestHash;
}

function recordOf({ programId, eventId }: PlannedEvent) {
  return eventRecords.at(programId, eventId);
}
