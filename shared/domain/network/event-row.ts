import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import { findResending, Resending, resendingPut } from "../notifications/resending.ts";

/**
 * Keeps the result under the event's id, for good: a repetition, however late, is answered by it and moves nothing. Part of the
 * transaction that applies the event, whose other writes say what was sent out of it.
 */
export function eventPut(
  event: Pick<ProcessorEvent, "programId" | "eventId" | "kind">,
  result: ProcessorResult,
  at: Date,
  writes: readonly WriteAction[] = [],
): WriteAction {
  const { programId, eventId, kind } = event;
  return {
    name: "processorEvent",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.processorEvent(programId, eventId),
        kind,
        result,
        notifications: findResending(writes),
        appliedAt: timestamp(at),
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** What sends the notifications of the first one again, when the failed conditions say that the event has been here before. */
export function passedOn(
  { programId }: Pick<ProcessorEvent, "programId">,
  failedConditions: ReadonlyMap<string, StoredItem>,
  at: Date,
): WriteAction[] {
  const sent = Resending.safeParse(failedConditions.get("processorEvent")?.notifications);
  return sent.success ? [resendingPut(programId, sent.data, at)] : [];
}

/** The first result, when the failed conditions say that the event has been here before. */
export function firstResult(failedConditions: ReadonlyMap<string, StoredItem>): ProcessorResult | undefined {
  const row = failedConditions.get("processorEvent");
  return row && ProcessorResult.parse(row.result);
}
