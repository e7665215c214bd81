import type { CardViewMasked } from "../contract/cards.ts";
import { toCreditorReference } from "../contract/creditor-reference.ts";
import { CardForm } from "../contract/enums.ts";
import type { ListKind } from "../lists/kind.ts";
import { nameKey } from "../lists/name-key.ts";
import type { Labelling } from "../platform/labels.ts";
import { type Card, cards, maskCardNumber } from "./card.ts";
import { shownPlasticId } from "./card-plastic.ts";
import { toLimitView } from "./limit.ts";
import { pendingShipping } from "./shipping.ts";
import { isBlocked } from "./usable.ts";

export const cardList: ListKind = {
  name: "cards",
  filters: ["issuerCardStatus"],
  orders: ["cardholderId", "cardHolderLastName", "lastFour"],
  carried: ["cardForm"],
  sortKeys: { cardHolderLastName: (record) => nameKey(String(record.cardHolderLastName)) },
  shards: 1,
  recordKey: ({ programId }, cardId) => cards.key(programId, cardId),
};

/** Without metadata. */
export function toCardView(card: Card): Labelling<CardViewMasked> {
  return {
    cardId: card.entityId,
    cardholderId: card.cardholderId,
    cardStatus: card.cardStatus,
    issuerCardStatus: card.issuerCardStatus,
    blocked: isBlocked(card),
    cardForm: card.cardForm,
    cardType: card.cardType,
    maskedCardNumber: maskCardNumber(card),
    expiryMonth: card.expiryMonth,
    expiryYear: card.expiryYear,
    plasticId: shownPlasticId(card),
    pendingPlasticId: card.pendingPlasticId,
    cardToken: card.cardToken,
    nameOnCard: card.nameOnCard,
    cardHolderLastName: card.cardHolderLastName,
    externalId: card.externalId,
    hasMetadata: card.hasMetadata,
    currency: card.currency,
    fundingWalletId: card.fundingWalletId,
    spendLimit: toLimitView(card),
    createdDatetime: card.createdAt,
    creditorReference: toCreditorReference(card.entityId),
    cryptoAddresses: card.cryptoAddresses,
    ...(card.cardForm === CardForm.physical && { shipping: toShippingView(card) }),
  };
}

/** What a list shows of one. */
export function toCardItem(card: Card) {
  return {
    cardId: card.entityId,
    cardholderId: card.cardholderId,
    cardHolderLastName: card.cardHolderLastName,
    status: card.issuerCardStatus,
    blocked: isBlocked(card),
    cardForm: card.cardForm,
    maskedCardNumber: maskCardNumber(card),
    externalId: card.externalId,
    createdDatetime: card.createdAt,
    fundingWalletId: card.fundingWalletId,
    spendLimit: toLimitView(card),
  };
}

export function toShippingView({
  shipping,
  createdAt,
}: Pick<Card, "shipping" | "createdAt">): CardViewMasked["shipping"] {
  const { status, trackingNumber, carrier, updatedAt } = shipping ?? pendingShipping(createdAt);
  return { status, trackingNumber, carrier, dateUpdated: updatedAt };
}
