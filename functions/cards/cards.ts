import { type Card, cards, getCard, isBlocked, maskCardNumber } from "../../shared/cards/card.ts";
import { cardList, toCardView } from "../../shared/cards/card-view.ts";
import { listCardIds, ofExternalId } from "../../shared/cards/cards-of-cardholder.ts";
import { toBalances } from "../../shared/ledger/account.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** Includes closed and declined Cards. */
export const listCards: Operations["GET /cards"] = ({ scope, query }) =>
  listPage(
    {
      records: findCards(scope.programId, query),
      orders: {
        cardId: "entityId",
        issuerCardStatus: "issuerCardStatus",
        cardholderId: "cardholderId",
        cardHolderLastName: "cardHolderLastName",
        createdDatetime: "createdAt",
      },
      sortKeys: cardList.sortKeys,
      filters: {
        issuerCardStatus: query.issuerCardStatus,
        ...(query.externalId !== undefined && { cardholderId: query.cardholderId }),
      },
      view: (item) => toListItem(cards.parse(item)),
    },
    query,
  );

interface Wanted {
  readonly cardholderId?: string | undefined;
  readonly externalId?: string | undefined;
}

async function findCards(programId: string, { cardholderId, externalId }: Wanted): Promise<Records> {
  const owner = externalId === undefined ? cardholderId : ofExternalId(externalId);
  if (owner === undefined) return { list: { programId, kind: cardList } };
  const cardIds = await listCardIds(programId, owner);
  return { keys: cardIds.map((cardId) => cards.key(programId, cardId)) };
}

function toListItem(card: Card) {
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
  };
}

export const viewCard: Operations["GET /cards/{cardId}"] = async ({ scope, path }) =>
  toCardView(await getCard(scope.programId, path.cardId));

export const viewStatus: Operations["GET /cards/{cardId}/status"] = async ({ scope, path }) => {
  const { issuerCardStatus } = await getCard(scope.programId, path.cardId);
  return { status: issuerCardStatus };
};

export const viewBalance: Operations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const card = await getCard(scope.programId, path.cardId);
  return { ...toBalances(card), currency: card.currency };
};
