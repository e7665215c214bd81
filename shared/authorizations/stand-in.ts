import type { ProcessorResult } from "../contract/processor.ts";
import type { TiedEvents } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";

type Advice = CardEventOf<"authorization_advice"> | CardEventOf<"atm_withdrawal">;

/**
 * The network has approved what the platform had declined under the same id: in the platform's
 * place, so that it is an event of its own.
 */
export const tiedToDecline: Pick<TiedEvents<Advice>, "followedBy"> = {
  followedBy: (event, result) => {
    const { eventId } = event;
    if (!wasDeclined(result) || (event.kind === "atm_withdrawal" && !event.advice)) return undefined;
    const standIn = { ...event, eventId: `${eventId}:standin` };
    return standIn.kind === "authorization_advice" ? { ...standIn, standIn: true } : standIn;
  },
};

/** Not for its own reversal: what was reversed stays so. */
function wasDeclined(result: ProcessorResult): boolean {
  if (result.outcome !== "applied" || result.approved !== false) return false;
  return result.declineReason !== "AUTHORIZATION_FINISHED";
}
