import { type Hold, readHold } from "../hold/hold.ts";
import { outstandingMinor } from "../hold/hold-state.ts";
import { newId } from "../id.ts";
import { commitEntry } from "../ledger/commit-entry.ts";
import { TransactionContendedError } from "../table/transact.ts";
import { maximumPlans } from "./apply-event.ts";
import type { CardEventOf } from "./card-event.ts";
import { planExpiry } from "./plan-hold-events.ts";
import { planOnHold } from "./plan-on-hold.ts";

/**
 * Expires an authorization on the platform's own account (transaction type 13) while something is held for it; tells whether it did. The hold is
 * the claim, so that of a sweep and an event that meet only one releases it.
 *
 * @throws TransactionContendedError
 */
export async function expireHold(programId: string, authorizationId: string): Promise<boolean> {
  const hold = await readHold(programId, authorizationId);
  if (!hold || outstandingMinor(hold) === 0) return false;
  const event = expiryOf(hold);
  let plan = await planOnHold({ programId, authorizationId, eventOn: () => event }, (subject) =>
    planExpiry(subject, 13),
  );
  for (let planned = 1; planned <= maximumPlans; planned += 1) {
    if ("refused" in plan) return false;
    const outcome = await commitEntry(plan.commit);
    if (outcome.outcome === "committed") return true;
    if (outcome.outcome !== "refused") throw new Error("A commit without a key cannot be a repetition.");
    plan = await plan.again(outcome.refusals);
  }
  throw new TransactionContendedError(["hold"]);
}

function expiryOf({ programId, cardId, authorizationId }: Hold): CardEventOf<"authorization_expiry"> {
  return { kind: "authorization_expiry", eventId: newId("event"), programId, cardId, authorizationId };
}
