import * as z from "zod";
import { ProcessorResult } from "../../contract/processor.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { present } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import type { Decided } from "../changes/change.ts";
import { Redelivery, redeliveryPut } from "../changes/redelivery.ts";
import { Decision, LateAnswer, OpenQuestion } from "../decisions/decision.ts";
import type { PlannedEvent } from "./card-event.ts";
import type { CardOutcome } from "./plan.ts";

const EventRecord = z.object({
  kind: z.string(),
  /** Where the event has one. */
  requestHash: z.string().optional(),
  /** While the question is open, there is no result. */
  question: OpenQuestion.optional(),
  decision: Decision.optional(),
  lateAnswer: LateAnswer.optional(),
  result: ProcessorResult.optional(),
  notifications: z.union([Redelivery, z.array(Redelivery)]).optional(),
  appliedAt: z.string(),
});
export type EventRecord = Readonly<z.output<typeof EventRecord>>;

/** An event's deduplication record: its result, and the notifications to redeliver. */
export const eventRecords = defineEntity({
  name: "processorEvent",
  table: "issuing",
  schema: EventRecord,
  key: issuingKey.processorEvent,
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

/** An event without effect. */
export function rejectionRecord(event: PlannedEvent, result: ProcessorResult, at: Date): WriteAction {
  return recordOf(event).create({ kind: event.kind, ...hashOf(event), result, appliedAt: timestamp(at) });
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

/** For a repetition: notifies of the first result again. */
export async function redeliver(programId: string, { notifications }: EventRecord): Promise<void> {
  const all = [notifications ?? []].flat();
  if (all.length > 0) await transact(all.map((one) => redeliveryPut(programId, one, now())));
}
