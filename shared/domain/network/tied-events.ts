import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { holds } from "../holds/hold.ts";
import { eventRecords } from "./event-record.ts";
import type { EventOf } from "./plan.ts";

type Reversal = EventOf<"authorization_reversal">;

/**
 * A reversal as the event that it is for what it names. Undefined until that is decided or posted.
 */
export async function resolveReversal(event: ProcessorEvent): Promise<ProcessorEvent | undefined> {
  if (event.kind !== "authorization_reversal") return event;
  if (event.ofPosted) return ofPosted(event);
  return event.incrementEventId === undefined ? event : withIncrement(event, event.incrementEventId);
}

/** A purchase that is posted holds nothing: it is refunded. A withdrawal is reversed. */
async function ofPosted(event: Reversal): Promise<ProcessorEvent | undefined> {
  const { eventId, programId, cardId, occurredAt, authorizationId } = event;
  const hold = await holds.at(programId, authorizationId).get();
  if (!hold || (hold.clearedMinor === 0 && !hold.closedBy)) return undefined;
  const { clearedMinor, merchant } = hold;
  const { amount = clearedMinor } = event;
  const isOfPurchase = !hold.withdrawal && hold.cardId === cardId && amount <= clearedMinor;
  if (!isOfPurchase || amount === 0) return event;
  const { srcAmount: _, srcCurrency: __, ...named } = merchant;
  const description = `Purchase reversal: ${merchant.merchantName ?? "Purchase"}`;
  return { kind: "refund", eventId, programId, cardId, occurredAt, amount, description, ...named };
}

/** With the amount of the increment: 0 if that was declined. */
async function withIncrement(event: Reversal, incrementEventId: string): Promise<ProcessorEvent | undefined> {
  const increment = await eventRecords.at(event.programId, incrementEventId).get();
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
