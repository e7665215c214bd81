import { listTotal } from "../../lists/program-page.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { readBatch } from "../../platform/table/read-batch.ts";
import type { Card } from "../cards/card.ts";
import { cardIdsOf } from "../cards/cards-of-cardholder.ts";

/** Whose holds are meant: one card's, a Cardholder's, or the whole Program's. */
export interface HoldScope {
  readonly programId: string;
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
}

/** What is held in all, in minor units: 0 for a card or Cardholder that does not exist, or a card of another Cardholder. */
export async function openHoldsMinor({ programId, cardId, cardholderId }: HoldScope): Promise<number> {
  if (cardId === undefined && cardholderId === undefined) return listTotal({ programId, kind: "holds" });
  const cardIds = cardId === undefined ? await cardIdsOf(programId, cardholderId ?? "") : [cardId];
  const cards = (await readBatch(cardIds.map((id) => issuingKey.card(programId, id)))) as unknown as Card[];
  const meant = cards.filter((card) => cardholderId === undefined || card.cardholderId === cardholderId);
  return meant.reduce((sum, { heldMinor }) => sum + heldMinor, 0);
}
