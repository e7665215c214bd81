import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { type FailedConditions, transact, type WriteAction } from "../../platform/table/transact.ts";
import { findResending, Resending, resendingPut } from "../notifications/notification.ts";

/** Keeps the result for good under the event's id, with the notifications that a repetition sends again. */
export function eventRow(
  { programId, eventId, kind }: Pick<ProcessorEvent, "programId" | "eventId" | "kind">,
  result: ProcessorResult,
  at = now(),
  writes: readonly WriteAction[] = [],
): WriteAction {
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

/** The first result of an event that is repeated, once its notifications are sent again. */
export async function repeatResult(
  { programId }: ProcessorEvent,
  failed: FailedConditions,
): Promise<ProcessorResult | undefined> {
  const row = failed.get("processorEvent");
  if (!row) return undefined;
  const sent = Resending.safeParse(row.notifications);
  if (sent.success) await transact([resendingPut(programId, sent.data, now())]);
  return ProcessorResult.parse(row.result);
}
