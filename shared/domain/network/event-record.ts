import * as z from "zod";
import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { type FailedConditions, transact, type WriteAction } from "../../platform/table/transact.ts";
import { Redelivery, redeliveryPut } from "../notifications/notification.ts";
import type { PlannedEvent } from "./plan-event.ts";

/** An event's deduplication record: its result, and the notifications to redeliver. */
const processorEvents = defineEntity({
  name: "processorEvent",
  table: "issuing",
  schema: z.object({
    kind: z.string(),
    result: ProcessorResult,
    notifications: Redelivery.optional().catch(undefined),
    appliedAt: z.string(),
  }),
  key: issuingKey.processorEvent,
});

export function eventRecord(
  { programId, eventId, kind }: PlannedEvent,
  result: ProcessorResult,
  at: Date,
  redelivery?: Redelivery,
): WriteAction {
  const record = { kind, result, notifications: redelivery, appliedAt: timestamp(at) };
  return processorEvents.at(programId, eventId).create(record);
}

/** The first result of a repeated event. Redelivers its notifications. */
export async function repeatResult(
  { programId }: ProcessorEvent,
  failed: FailedConditions,
): Promise<ProcessorResult | undefined> {
  const first = processorEvents.parse(failed.get("processorEvent"));
  if (first?.notifications) await transact([redeliveryPut(programId, first.notifications, now())]);
  return first?.result;
}
