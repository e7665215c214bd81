import { CardApprovalStatus, CardForm } from "../../contract/enums.ts";
import { now } from "../../platform/clock.ts";
import { type Card, cards } from "../cards/card.ts";
import { advanceShipping, pendingShipping } from "../cards/shipping.ts";
import type { EventOf } from "./card-event.ts";
import { illegal, notFound, type Rejected } from "./plan.ts";
import type { PlanFromReads } from "./plan-from-reads.ts";

/** A Card that awaits its approval counts as not found: the approval may arrive later. */
export function planShipping(
  event: EventOf<"card_shipping">,
  card: Card | undefined,
): PlanFromReads | Rejected {
  if (!card || card.cardStatus === CardApprovalStatus.pending) return notFound;
  if (card.cardForm === CardForm.virtual || card.cardStatus === CardApprovalStatus.declined) return illegal;
  const { programId, cardId } = event;
  const at = now();
  const shipping = advanceShipping(card.shipping ?? pendingShipping(card.createdAt), event, at);
  const writes = shipping
    ? [cards.at(programId, cardId).update({ set: { shipping } }, { shipping: card.shipping })]
    : [];
  return { commit: { programId, at, accounts: [], writes }, result: { outcome: "applied" } };
}
