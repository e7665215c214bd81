import { type Card, maskCardNumber } from "../cards/card.ts";
import { toShippingView } from "../cards/card-view.ts";
import { CardForm, CardStatus, type PlasticState } from "../contract/enums.ts";
import type { PlasticView } from "../contract/plastics.ts";
import type { Plastic } from "./plastic.ts";

/** Closed with its Card, unless it was stopped. */
export function toState({ issuerCardStatus }: Card, { state }: Plastic): PlasticState {
  return issuerCardStatus === CardStatus.closed && state !== "stopped" ? "closed" : state;
}

/** Without what the vault knows of its PIN. */
export function toPlasticView(card: Card, plastic: Plastic): Omit<PlasticView, "pinSet"> {
  const { plasticId, cardId, sequence, reason, expiryMonth, expiryYear, createdAt, activateBy } = plastic;
  const state = toState(card, plastic);
  return {
    plasticId,
    cardId,
    sequence,
    reason,
    state,
    maskedCardNumber: maskCardNumber(plastic),
    expiryMonth,
    expiryYear,
    ...(card.cardForm === CardForm.physical && { shipping: toShippingView(plastic) }),
    dateCreated: createdAt,
    activateBy,
    dateActivated: plastic.activatedAt,
    dateEnded: plastic.endedAt ?? (state === "closed" ? card.closedAt : undefined),
  };
}
