import type { Card } from "../../shared/card/card.ts";
import { isBlocked } from "../../shared/card/card-block.ts";
import { maskCardNumber } from "../../shared/card/card-number.ts";
import { listPage } from "../../shared/listing/list-page.ts";
import type { CardOperations } from "./operations.ts";

/** Lists the Program's Cards, closed and declined ones included. */
export const listCards: CardOperations["GET /cards"] = async ({ scope, query }) => {
  const { items, total } = await listPage(
    {
      records: { programId: scope.programId, collection: "cards", cardholderId: query.cardholderId },
      orders: {
        cardId: "entityId",
        issuerCardStatus: "issuerCardStatus",
        cardholderId: "cardholderId",
        cardHolderLastName: "cardHolderLastName",
        createdDatetime: "createdAt",
      },
      filters: { issuerCardStatus: query.issuerCardStatus },
    },
    query,
  );
  return { items: (items as unknown as Card[]).map(toListItem), total };
};

function toListItem(card: Card) {
  return {
    cardId: card.entityId,
    cardholderId: card.cardholderId,
    cardHolderLastName: card.cardHolderLastName,
    status: card.issuerCardStatus,
    blocked: isBlocked(card),
    cardForm: card.cardForm,
    maskedCardNumber: maskCardNumber(card),
    createdDatetime: card.createdAt,
  };
}
