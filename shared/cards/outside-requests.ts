import * as z from "zod";
import { CardForm } from "../contract/enums.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Card } from "./card.ts";

/** Points to an approved physical Card that is in no batch for production. */
export const unproduced = defineEntity({
  name: "unproduced",
  schema: z.object({ cardId: z.string() }),
  key: (programId: string, cardId: string) => ({ pk: `${programId}#UNPRODUCED`, sk: cardId }),
});

/** Asks for the production of a Card that becomes approved. A virtual one needs none. */
export function productionWrites(programId: string, card: Card): WriteAction[] {
  const { entityId: cardId, nameOnCard, shippingAddress } = card;
  if (card.cardForm === CardForm.virtual || !shippingAddress) return [];
  const detail = { ...toOutsideCard(card), nameOnCard, shippingAddress };
  return [
    unproduced.at(programId, cardId).put({ cardId }),
    outsidePut(programId, "production.requested", detail),
  ];
}

/** Asks for the approval of an issuance. */
export function approvalWrites(programId: string, card: Card): WriteAction[] {
  return [outsidePut(programId, "issuance.requested", toOutsideCard(card))];
}

function toOutsideCard({ entityId: cardId, cardholderId, cardForm, cardType }: Card) {
  return { cardholderId, cardId, cardForm, cardType };
}
