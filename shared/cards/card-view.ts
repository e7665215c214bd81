import type { CardViewMasked } from "../contract/cards.ts";
import { toCreditorReference } from "../contract/creditor-reference.ts";
import { CardForm } from "../contract/enums.ts";
import { defineList } from "../lists/kind.ts";
import { nameKey } from "../lists/name-key.ts";
import type { Labelling } from "../platform/labels.ts";
import { pick } from "../platform/pick.ts";
import { type Card, cards, maskCardNumber } from "./card.ts";
import { shownPlasticId } from "./card-plastic.ts";
import { toLimitView } from "./limit.ts";
import { pendingShipping } from "./shipping.ts";
import { isBlocked } from "./usable.ts";

export const cardList = defineList({
  name: "cards",
  filters: ["issuerCardStatus"],
  orders: ["cardholderId", "cardHolderLastName", "lastFour"],
  carried: ["cardForm"],
  sortKeys: { cardHolderLastName: (record) => nameKey(String(record.cardHolderLastName)) },
  recordKey: ({ programId }, cardId) => cards.key(programId, cardId),
});

/** Without metadata. */
export function toCardView(card: Card): Labelling<CardViewMasked> {
  return {
    ...shownAlways(card),
    ...pick(card, "cardStatus", "issuerCardStatus", "cardType", "expiryMonth", "expiryYear", "nameOnCard"),
    ...pick(card, "pendingPlasticId", "cardToken", "hasMetadata", "currency", "cryptoAddresses"),
    plasticId: shownPlasticId(card),
    creditorReference: toCreditorReference(card.entityId),
    ...(card.cardForm === CardForm.physical && { shipping: toShippingView(card) }),
  };
}

/** What a list shows of one. */
export function toCardItem(card: Card) {
  return { ...shownAlways(card), status: card.issuerCardStatus };
}

function shownAlways(card: Card) {
  return {
    cardId: card.entityId,
    ...pick(card, "cardholderId", "cardHolderLastName", "cardForm", "externalId", "fundingWalletId"),
    blocked: isBlocked(card),
    maskedCardNumber: maskCardNumber(card),
    spendLimit: toLimitView(card),
    createdDatetime: card.createdAt,
  };
}

export function toShippingView({
  shipping,
  createdAt,
}: Pick<Card, "shipping" | "createdAt">): CardViewMasked["shipping"] {
  const { status, trackingNumber, carrier, updatedAt } = shipping ?? pendingShipping(createdAt);
  return { status, trackingNumber, carrier, dateUpdated: updatedAt };
}
