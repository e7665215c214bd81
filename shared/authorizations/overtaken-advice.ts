import type { ProcessorEvent } from "../contract/processor.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import { findSimilar } from "../network-events/message-names.ts";
import { holds } from "./holds/hold.ts";
import { setTotal } from "./holds/hold-changes.ts";
import { outstandingMinor } from "./holds/hold-rules.ts";

export type Advice = CardEventOf<"authorization_advice"> | CardEventOf<"atm_withdrawal">;
type Reversal = CardEventOf<"authorization_reversal">;

/**
 * What has named the advice before it came did not know its authorization, and has one of its own,
 * `early`. The advice brings only what is left after that, which may be a reversal of all.
 */
export async function withoutReversed(event: Advice): Promise<Advice | Reversal> {
  const { early, programId, amount, occurredAt } = event;
  const before = early === undefined ? undefined : await holds.at(programId, early).get();
  if (!before) return event;
  const after = setTotal(before, amount, occurredAt);
  const leftMinor = outstandingMinor(after);
  const lastAt = after.totals?.limits.at(-1)?.at ?? after.totals?.set?.at;
  if (leftMinor > 0) return { ...event, amount: leftMinor, occurredAt: lastAt ?? occurredAt };
  // Cash that a clearing has paid keeps its fee.
  return toReversal(event, before.clearedMinor === 0 || before.withdrawal !== undefined);
}

/** With an id of its own: the advice that is sent again finds what has named it, and so this. */
async function toReversal(event: Advice, withFee: boolean): Promise<Reversal> {
  const { eventId, programId, cardId, authorizationId = "", occurredAt, similarTo, message } = event;
  const isKnown = (await holds.at(programId, authorizationId).get()) !== undefined;
  const similar = isKnown || !similarTo ? undefined : await findSimilar(event, similarTo);
  return {
    ...{
      kind: "authorization_reversal",
      eventId: `${eventId}:early`,
      programId,
      cardId,
      occurredAt,
      message,
    },
    authorizationId: similar?.authorizationId ?? authorizationId,
    similarTo: similar ? undefined : similarTo,
    ...{ mayBeDone: true, withFee },
  };
}

/** What has named the advice holds nothing any more. */
export function releaseEarly({ eventId, programId, cardId }: Advice, early: string): ProcessorEvent {
  const released = { programId, cardId, authorizationId: early, mayBeDone: true };
  return { kind: "authorization_reversal", eventId: `${eventId}:early`, ...released };
}
