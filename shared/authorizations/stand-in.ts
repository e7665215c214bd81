import type { ProcessorResult } from "../contract/processor.ts";
import type { TiedEvents } from "../network-events/card-change.ts";
import { type Advice, releaseEarly, withoutReversed } from "./overtaken-advice.ts";

/**
 * The network has approved what the platform had declined under the same id, or more or less than
 * that approved: in the platform's place, so that the rest is an event of its own.
 */
export const tiedToDecline: TiedEvents<Advice> = {
  resolve: withoutReversed,
  followedBy: (event, result) => {
    const { eventId, amount, early } = event;
    if (early !== undefined) return releaseEarly(event, early);
    const restMinor = amount - (findApproved(result) ?? amount);
    // What has named a total before it came may have left another one.
    if (restMinor === 0 || (event.total && (restMinor < 0 || event.message))) return undefined;
    const standIn = { ...event, eventId: `${eventId}:standin`, ofRequest: true as const };
    if (standIn.kind === "authorization_advice" && restMinor < 0)
      return { ...standIn, kind: "authorization_reversal", amount: -restMinor, mayBeDone: true };
    if (standIn.kind === "authorization_advice")
      return { ...standIn, amount: standIn.total ? amount : restMinor, standIn: true };
    if (!standIn.advice || standIn.total) return undefined;
    // It is the total of what was paid out: more, or less. Its code is taken.
    return restMinor === amount ? standIn : { ...standIn, total: true, referenceCode: undefined };
  },
};

/** Undefined where nothing was decided. Nor for its own reversal: what was reversed stays so. */
function findApproved(result: ProcessorResult): number | undefined {
  if (result.outcome !== "applied" || result.approved === undefined) return undefined;
  return result.declineReason === "AUTHORIZATION_FINISHED" ? undefined : (result.amount ?? 0);
}
