import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { eventRecords } from "./event-record.ts";
import type { EventOf } from "./plan.ts";

/**
 * A reversal that names an increment, with the amount of that: 0 if it was declined. Undefined
 * until the increment is decided.
 */
export async function withIncrement(event: ProcessorEvent): Promise<ProcessorEvent | undefined> {
  if (event.kind !== "authorization_reversal" || event.incrementEventId === undefined) return event;
  const increment = await eventRecords.at(event.programId, event.incrementEventId).get();
  if (!increment?.result) return undefined;
  const { amount = 0 } = increment.result.outcome === "applied" ? increment.result : {};
  return { ...event, amount };
}

/** Whether it releases nothing: its increment was declined. */
export function isWithoutEffect(event: ProcessorEvent): event is EventOf<"authorization_reversal"> {
  return event.kind === "authorization_reversal" && event.amount === 0;
}

/** Follows the reversal of a withdrawal. Repeated with it after a kill, it moves nothing twice. */
export function feeReversalAfter(
  event: ProcessorEvent,
  result: ProcessorResult,
): EventOf<"fee_reversal"> | undefined {
  if (event.kind !== "authorization_reversal" || !event.withFee) return undefined;
  if (result.outcome !== "applied" || result.feeId === undefined) return undefined;
  const { programId, cardId, eventId } = event;
  return { kind: "fee_reversal", eventId: `${eventId}:fee`, programId, cardId, feeId: result.feeId };
}
