import { timestamp } from "../clock.ts";
import { type ProcessorEvent, ProcessorResult } from "../contract/processor.ts";
import { environment } from "../environment.ts";
import { issuingKey } from "../table/keys.ts";
import type { StoredItem, WriteAction } from "../table/transact.ts";

/**
 * Keeps the result under the event's id, for good: a repetition, however late, is answered by it and moves nothing. Part of the
 * transaction that applies the event.
 */
export function eventPut(
  event: Pick<ProcessorEvent, "programId" | "eventId" | "kind">,
  result: ProcessorResult,
  at: Date,
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
        appliedAt: timestamp(at),
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** The first result, when the refusals tell that the event has been here before. */
export function firstResult(refusals: ReadonlyMap<string, StoredItem>): ProcessorResult | undefined {
  const row = refusals.get("processorEvent");
  return row && ProcessorResult.parse(row.result);
}
