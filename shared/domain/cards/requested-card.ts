import type { CardCreate } from "../../contract/cards.ts";
import { CardApprovalStatus, CardForm, CardStatus } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { ProgramScope } from "../../platform/http/request.ts";
import { randomToken } from "../../platform/id.ts";
import type { Cardholder } from "../cardholders/cardholder.ts";
import { zeroBalances } from "../ledger/postings.ts";
import type { Card } from "./card.ts";
import { drawCardNumber, expiryOf } from "./card-number.ts";
import { defaultNameOnCard } from "./name-on-card.ts";

export interface CardRequest {
  readonly scope: ProgramScope;
  readonly cardId: string;
  readonly request: CardCreate;
  readonly cardholder: Cardholder;
  readonly bin: string;
  readonly at: Date;
}

/**
 * @throws ApiError VALIDATION_FAILED if `nameOnCard` is missing and the Cardholder's name cannot be printed
 */
export function requestedCard({ scope, cardId, request, cardholder, bin, at }: CardRequest): Card {
  const nameOnCard = request.nameOnCard ?? defaultNameOnCard(cardholder.firstName, cardholder.lastName);
  if (nameOnCard === undefined) throw nameNotPrintable();
  return {
    entityId: cardId,
    cardholderId: cardholder.entityId,
    cardHolderLastName: cardholder.lastName,
    cardStatus: CardApprovalStatus.pending,
    issuerCardStatus: CardStatus.pending,
    cardForm: request.cardForm,
    cardType: request.cardType,
    ...drawCardNumber(bin),
    ...expiryOf(request.cardForm, at),
    cardToken: randomToken(18),
    nameOnCard,
    externalId: request.externalId,
    ...(request.cardForm === CardForm.physical && { shippingAddress: request.shippingAddress }),
    currency: scope.currency,
    ...zeroBalances,
    cryptoAddresses: [],
    createdAt: timestamp(at),
  };
}

function nameNotPrintable(): ApiError {
  return new ApiError("VALIDATION_FAILED", [
    {
      path: "body.nameOnCard",
      code: "required",
      message: "is required, since the Cardholder's name has nothing that can be printed on a card",
    },
  ]);
}
