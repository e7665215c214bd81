import { type Card, maskCardNumber } from "../cards/card.ts";
import { toShippingView } from "../cards/card-view.ts";
import { CardForm, CardStatus, type PlasticState } from "../contract/enums.ts";
import type { PlasticView } from "../contract/plastics.ts";
import { pick } from "../platform/pick.ts";
import type { Plastic } from "./plastic.ts";

/** Closed with its Card, unless it was stopped. */
export function toState({ issuerCardStatus }: Card, { state }: Plastic): PlasticState {
  return issuerCardStatus === CardStatus.closed && state !== "stopped" ? "closed" : state;
}

/** Without what the vault knows of its PIN. */
export function toPlasticView(card: Card, plastic: Plastic): Omit<PlasticView, "pinSet"> {
  const state = toState(card, plastic);
  return {
    ...pick(plastic, "plasticId", "cardId", "sequence", "reason", "expiryMonth", "expiryYear", "activateBy"),
    state,
    maskedCardNumber: maskCardNumber(plastic),
    ...(card.cardForm === CardForm.physical && { shipping: toShippingView(plastic) }),
    dateCreated: plastic.createdAt,
    dateActivated: plastic.activatedAt,
    dateEnded: plastic.endedAt ?? (state === "closed" ? card.closedAt : undefined),
  };
}
