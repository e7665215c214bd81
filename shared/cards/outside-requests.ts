import * as z from "zod";
import { CardForm } from "../contract/enums.ts";
import { toOtherId } from "../platform/id.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Card } from "./card.ts";

/** Points to a physical plastic that is in no batch for production: a Card's first, or another. */
export const unproduced = defineEntity({
  name: "unproduced",
  schema: z.object({ cardId: z.string(), plasticId: z.string().optional() }),
  key: (programId: string, waitingId: string) => ({ pk: `${programId}#UNPRODUCED`, sk: waitingId }),
});

/** All are of one kind of id, so that the oldest is first. */
export function toWaitingId(cardId: string, plasticId: string | undefined): string {
  return plasticId === undefined ? cardId : toOtherId("card", plasticId);
}

interface Produced extends Pick<Card, "shippingAddress"> {
  readonly plasticId?: string;
}

/**
 * Asks for the production of a Card that becomes approved, or of a plastic in place of another. A
 * virtual one needs none.
 */
export function productionWrites(programId: string, card: Card, made: Produced = card): WriteAction[] {
  const { entityId: cardId, nameOnCard } = card;
  const { plasticId, shippingAddress } = made;
  if (card.cardForm === CardForm.virtual || !shippingAddress) return [];
  const plastic = plasticId === undefined ? {} : { plasticId };
  const detail = { ...toOutsideCard(card), ...plastic, nameOnCard, shippingAddress };
  return [
    unproduced.at(programId, toWaitingId(cardId, plasticId)).put({ cardId, ...plastic }),
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
