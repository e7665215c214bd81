import { type Card, cards } from "../../shared/domain/cards/card.ts";
import { isBlocked } from "../../shared/domain/cards/card-block.ts";
import { maskCardNumber } from "../../shared/domain/cards/card-number.ts";
import { listPage } from "../../shared/lists/list-page.ts";
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
  return { items: items.map((item) => toListItem(cards.parse(item))), total };
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
