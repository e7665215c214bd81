import type { ProcessorResult } from "../contract/processor.ts";
import type { TiedEvents } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import { findSimilar, renamed } from "../network-events/message-names.ts";
import {
  type AppliedResult,
  eventRecords,
  illegal,
  notFound,
  type Rejected,
} from "../network-events/plan.ts";
import type { OpenQuestion } from "./decisions/decision.ts";

type Reversal = CardEventOf<"authorization_reversal">;

type AwaitDecision = (open: OpenQuestion) => Promise<AppliedResult>;

/** The reversal of what it names, and the reversal of the fee that follows it. */
export const tiedToReversal: TiedEvents<Reversal> = {
  resolve: async (event, awaitDecision) => {
    const resolved = await resolve(event, awaitDecision);
    if ("rejected" in resolved || resolved.amount !== 0) return resolved;
    // Its increment was declined: it releases nothing.
    return { outcome: "applied", authorizationId: resolved.authorizationId, amount: 0 };
  },
  followedBy: ({ withFee, programId, cardId, eventId }, result) => {
    if (!withFee || result.outcome !== "applied" || result.feeId === undefined) return undefined;
    return { kind: "fee_reversal", eventId: `${eventId}:fee`, programId, cardId, feeId: result.feeId };
  },
};

/** Not found until what it names is decided. */
async function resolve(event: Reversal, awaitDecision: AwaitDecision): Promise<Reversal | Rejected> {
  const { similarTo } = event;
  if (similarTo?.differsIn === "trace") {
    const { byReference } = await import("./reversed-by-reference.ts");
    const named = await byReference(event, similarTo);
    return "rejected" in named ? named : resolve(named, awaitDecision);
  }
  if (event.originalEventId !== undefined) return ofOriginal(event, event.originalEventId, awaitDecision);
  return event.incrementEventId === undefined ? event : withIncrement(event, event.incrementEventId);
}

/** With the amount of the increment: 0 if that was declined. */
async function withIncrement(event: Reversal, incrementEventId: string): Promise<Reversal | Rejected> {
  const increment = await eventRecords.at(event.programId, incrementEventId).get();
  return increment?.result ? { ...event, amount: findApproved(increment.result) } : notFound;
}

/** If it was an increment, the reversal of that: a `total` is what is left of it. */
async function ofOriginal(
  event: Reversal,
  originalEventId: string,
  awaitDecision: AwaitDecision,
  /** The authorization of the advice that it names. */
  adviceOf?: string,
): Promise<Reversal | Rejected> {
  const original = await eventRecords.at(event.programId, originalEventId).get();
  const similarTo = original ? undefined : event.similarTo;
  const similar = similarTo && (await findSimilar(event, similarTo));
  if (similar) {
    const named = renamed(event, similarTo.id, similar.id);
    const namedEventId = originalEventId.replace(similarTo.id, similar.id);
    return ofOriginal(named, namedEventId, awaitDecision, similar.authorizationId);
  }
  if (!original) return adviceOf === undefined ? event : { ...event, authorizationId: adviceOf };
  if (original.kind !== "authorization_incremental") return { ...event, originalEventId: undefined };
  const result = original.question ? await awaitDecision(original.question) : original.result;
  if (!result) return notFound;
  const approvedMinor = findApproved(result);
  const { amount = 0, total, ...reversal } = event;
  const leftMinor = total ? amount : 0;
  // It may be what is left of the whole authorization.
  if (approvedMinor > 0 && leftMinor > approvedMinor) return illegal;
  const { authorizationId = event.authorizationId } = result.outcome === "applied" ? result : {};
  const releasedMinor = Math.max(0, approvedMinor - leftMinor);
  return { ...reversal, authorizationId, amount: releasedMinor, incrementEventId: originalEventId };
}

function findApproved(result: ProcessorResult): number {
  return result.outcome === "applied" ? (result.amount ?? 0) : 0;
}
