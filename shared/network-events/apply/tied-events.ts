import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import type { EventOf } from "../card-event.ts";
import { eventRecords } from "../event-record.ts";
import { renamed } from "../message-names.ts";
import { illegal, notFound, type Rejected } from "../plan.ts";
import { findSimilar } from "../similar-event.ts";
import { awaitDecision } from "./decide-question.ts";

type Reversal = EventOf<"authorization_reversal">;

/** A reversal as the event that it is for what it names. Not found until that is decided. */
export async function resolveReversal(event: ProcessorEvent): Promise<ProcessorEvent | Rejected> {
  if (event.kind !== "authorization_reversal") return event;
  if (event.originalEventId !== undefined) return ofOriginal(event, event.originalEventId);
  return event.incrementEventId === undefined ? event : withIncrement(event, event.incrementEventId);
}

/** With the amount of the increment: 0 if that was declined. */
async function withIncrement(event: Reversal, incrementEventId: string): Promise<Reversal | Rejected> {
  const increment = await eventRecords.at(event.programId, incrementEventId).get();
  return increment?.result ? { ...event, amount: approvedOf(increment.result) } : notFound;
}

/** If it was an increment, the reversal of that: a `total` is what is left of it. */
async function ofOriginal(event: Reversal, originalEventId: string): Promise<Reversal | Rejected> {
  const original = await eventRecords.at(event.programId, originalEventId).get();
  const similarTo = original ? undefined : event.similarTo;
  const similar = similarTo && (await findSimilar(event, similarTo));
  if (similar) return ofOriginal(...asNamed(event, originalEventId, similarTo.id, similar.id));
  if (!original) return event;
  if (original.kind !== "authorization_incremental") return { ...event, originalEventId: undefined };
  const result = original.question ? await awaitDecision(original.question) : original.result;
  if (!result) return notFound;
  const approvedMinor = approvedOf(result);
  const { amount = 0, total, ...reversal } = event;
  const leftMinor = total ? amount : 0;
  // It may be what is left of the whole authorization.
  if (approvedMinor > 0 && leftMinor > approvedMinor) return illegal;
  const { authorizationId = event.authorizationId } = result.outcome === "applied" ? result : {};
  const releasedMinor = Math.max(0, approvedMinor - leftMinor);
  return { ...reversal, authorizationId, amount: releasedMinor, incrementEventId: originalEventId };
}

/** By the id that was found. */
function asNamed(event: Reversal, originalEventId: string, from: string, to: string) {
  return [renamed(event, from, to), originalEventId.replace(from, to)] as const;
}

function approvedOf(result: ProcessorResult): number {
  return result.outcome === "applied" ? (result.amount ?? 0) : 0;
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
