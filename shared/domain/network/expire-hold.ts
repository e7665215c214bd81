import { newId } from "../../platform/id.ts";
import { Conflict, retryDecision } from "../../platform/table/retry.ts";
import { type Hold, holdDueAt, outstandingMinor, readHold } from "../holds/hold.ts";
import { commit } from "../ledger/commit.ts";
import type { CardEventOf } from "./card-plan.ts";
import { illegal, type Planned } from "./event-plan.ts";
import { planExpiry } from "./plan-hold-events.ts";
import { planOnHold } from "./plan-on-hold.ts";

/**
 * Expires an authorization on the platform's own account (transaction type 13), if what is held for it was due by `dueAt`; tells whether it did. The
 * hold is the claim, so that of a sweep and an event that meet only one releases it. A hold that an event has emptied meanwhile may still be added to, and
 * one that has begun anew has seven days more: neither is touched.
 *
 * @throws ContendedError
 */
export async function expireHold(programId: string, authorizationId: string, dueAt: Date): Promise<boolean> {
  const isDue = (hold: Hold) => outstandingMinor(hold) > 0 && holdDueAt(hold) <= dueAt;
  const hold = await readHold(programId, authorizationId);
  if (!hold || !isDue(hold)) return false;
  const event = expiryOf(hold);
  let next = (): Planned | Promise<Planned> =>
    planOnHold({ programId, authorizationId, eventOn: () => event }, (subject) =>
      isDue(subject.hold) ? planExpiry(subject, 13) : illegal,
    );
  return retryDecision(async () => {
    const plan = await next();
    if ("refused" in plan) return false;
    const outcome = await commit(plan.commit);
    if (outcome.outcome === "committed") return true;
    next = () => plan.again(outcome.failedConditions);
    return new Conflict("hold");
  });
}

function expiryOf({ programId, cardId, authorizationId }: Hold): CardEventOf<"authorization_expiry"> {
  return { kind: "authorization_expiry", eventId: newId("event"), programId, cardId, authorizationId };
}
