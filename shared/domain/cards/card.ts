import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { CardCreate, CardViewMasked, CryptoAddress } from "../../contract/cards.ts";
import type { CardApprovalStatus, CardForm, CardStatus, Currency } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey, type Key } from "../../platform/table/keys.ts";
import type { AccountBalances } from "../ledger/posting.ts";
import { type CardBlocks, isBlocked } from "./card-block.ts";
import { type CardNumberParts, maskCardNumber } from "./card-number.ts";
import type { Expiry } from "./expiry.ts";

/** A Card as it is stored, its balances included: one item, so that money and status move under one condition. */
export interface Card extends Key, CardNumberParts, AccountBalances, CardBlocks, Expiry {
  /** cardId. */
  readonly entityId: string;
  readonly cardholderId: string;
  /** The Cardholder's last name when the Card was issued. It is locked from then on, but for one who was declined afterwards. */
  readonly cardHolderLastName: string;
  readonly cardStatus: CardApprovalStatus;
  readonly issuerCardStatus: CardStatus;
  readonly cardForm: CardForm;
  readonly cardType: number;
  readonly cardToken: string;
  readonly nameOnCard: string;
  readonly externalId?: string | undefined;
  readonly shippingAddress?: CardCreate["shippingAddress"];
  readonly currency: Currency;
  readonly createdAt: string;
  /** Empty until the issuance is approved. */
  readonly cryptoAddresses: readonly CryptoAddress[];
  /** Where the addresses stand below the Program's extended public keys; whoever has the private keys finds theirs by it. */
  readonly addressIndex?: number;
}

/**
 * The Card as it is now, consistently read.
 *
 * @throws ApiError NOT_FOUND where the Program has none by this id.
 */
export async function getCard(programId: string, cardId: string): Promise<Card> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.card(programId, cardId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new ApiError("NOT_FOUND");
  return Item as Card;
}

/** The Card as it is answered. */
export function cardView(card: Card): CardViewMasked {
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
    cryptoAddresses: [...card.cryptoAddresses],
  };
}
