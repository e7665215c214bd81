import { cards } from "../cards/card.ts";
import { firstPlasticId, shownPlasticId } from "../cards/card-plastic.ts";
import { advanceShipping, pendingShipping } from "../cards/shipping.ts";
import { defineChange, later, nothing, type StepRefusal, unread } from "../changes/change.ts";
import { CardApprovalStatus, CardForm } from "../contract/enums.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { type Plastic, plastics } from "./plastic.ts";

type Report = Extract<ProcessorEvent, { kind: "card_shipping" }>;
/**
 * A Card that awaits its approval counts as not found: the approval may arrive later. Default: a
 * replacement that is on its way, or else the plastic that the Card shows, which has its shipping.
 */
const shipping = defineChange<Report, Applied, StepRefusal>()({
  reads: ({ programId, cardId }) => ({
    card: cards.at(programId, cardId),
    // Read where the Card was ever replaced: before, its first one has no item.
    plastic: later<Plastic>(nothing),
  }),
  decide: (event, { card, plastic }, at) => {
    if (!card || card.cardStatus === CardApprovalStatus.pending) return { rejected: "NOT_FOUND" };
    if (card.cardForm === CardForm.virtual || card.cardStatus === CardApprovalStatus.declined)
      return { rejected: "ILLEGAL_TRANSITION" };
    const { programId, cardId } = event;
    const plasticId = event.plasticId ?? card.pendingPlasticId ?? shownPlasticId(card);
    const isStored = card.plasticCount !== undefined;
    if (!isStored && plasticId !== firstPlasticId(cardId)) return { rejected: "NOT_FOUND" };
    if (isStored && (plastic === unread || plastic?.plasticId !== plasticId)) {
      if (plastic === undefined) return { rejected: "NOT_FOUND" };
      return { readMore: { plastic: plastics.at(programId, cardId, plasticId) } };
    }
    const before = plastic && plastic !== unread ? plastic : card;
    const advanced = advanceShipping(before.shipping ?? pendingShipping(before.createdAt), event, at);
    if (!advanced) return { writes: [], answer: { outcome: "applied" } };
    const change = { set: { shipping: advanced } };
    const asRead = { shipping: before.shipping };
    const isShown = shownPlasticId(card) === plasticId;
    // Only while it has no item, or is shown, does the Card have its shipping.
    const { plasticCount } = card;
    const onCard = cards
      .at(programId, cardId)
      .update(change, { ...asRead, plasticId: card.plasticId, plasticCount });
    const onPlastic = plastics.at(programId, cardId, plasticId).update(change, asRead);
    return {
      writes: [...(isShown ? [onCard] : []), ...(isStored ? [onPlastic] : [])],
      answer: { outcome: "applied" },
    };
  },
});

/** What the issuer's processor says of a plastic that was produced. */
export const plasticEvents = { card_shipping: shipping } as const;
