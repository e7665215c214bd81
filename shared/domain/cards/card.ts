import * as z from "zod";
import type { CardViewMasked } from "../../contract/cards.ts";
import { CardApprovalStatus, CardForm, CardStatus, Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import type { ListKind } from "../../lists/entry.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { isBlocked } from "./card-block.ts";
import { maskCardNumber } from "./card-number.ts";

export const cardList: ListKind = {
  name: "cards",
  filters: ["issuerCardStatus"],
  orders: ["cardholderId", "cardHolderLastName"],
  shards: 1,
  recordKey: ({ programId }, cardId) => issuingKey.card(programId, cardId),
};

/**
 * Status and balances share one item, so that one condition covers both. Texts were validated when written: a
 * later contract rule must not make stored Cards unreadable.
 */
export const Card = z.object({
  /** cardId. */
  entityId: z.string(),
  cardholderId: z.string(),
  /** The last name at issuance. Locked since then, except for a Cardholder who was declined later. */
  cardHolderLastName: z.string(),
  cardStatus: integerEnum(CardApprovalStatus),
  issuerCardStatus: integerEnum(CardStatus),
  /** Since when the platform has blocked the Card, or its Cardholder: ISO 8601 UTC. */
  blockedAt: z.string().optional(),
  cardholderBlockedAt: z.string().optional(),
  cardForm: integerEnum(CardForm),
  cardType: z.int(),
  /** What is kept of the card number, see `drawCardNumber`. */
  bin: z.string(),
  lastFour: z.string(),
  expiryMonth: z.int(),
  expiryYear: z.int(),
  cardToken: z.string(),
  nameOnCard: z.string(),
  externalId: z.string().optional(),
  shippingAddress: z
    .object({
      recipient: z.string().optional(),
      line1: z.string(),
      line2: z.string().optional(),
      city: z.string(),
      state: z.string().optional(),
      postalCode: z.string(),
      country: z.string(),
    })
    .optional(),
  currency: integerEnum(Currency),
  availableMinor: z.int(),
  heldMinor: z.int(),
  pendingDepositMinor: z.int(),
  ledgerMinor: z.int(),
  createdAt: z.string(),
  /** Empty until the issuance is approved. */
  cryptoAddresses: z.array(
    z.object({
      chain: z.enum(["bitcoin", "ethereum", "tron"]),
      address: z.string(),
      addressTag: z.string().nullable(),
    }),
  ),
  /** Index of the addresses below the Program's extended public keys, for the holder of the private keys. */
  addressIndex: z.int().optional(),
});
export type Card = z.output<typeof Card>;

export const cards = defineEntity({ name: "card", table: "issuing", schema: Card, key: issuingKey.card });

/** @throws ApiError NOT_FOUND */
export function getCard(programId: string, cardId: string): Promise<Card> {
  return cards.at(programId, cardId).require();
}

export function toCardView(card: Card): CardViewMasked {
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
    cardToken: card.cardToken,
    nameOnCard: card.nameOnCard,
    cardHolderLastName: card.cardHolderLastName,
    externalId: card.externalId,
    currency: card.currency,
    createdDatetime: card.createdAt,
    cryptoAddresses: card.cryptoAddresses,
  };
}
