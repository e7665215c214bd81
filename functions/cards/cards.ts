import { cards, getCard } from "../../shared/cards/card.ts";
import { cardList, toCardItem, toCardView } from "../../shared/cards/card-view.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { toBalances } from "../../shared/ledger/account.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { changeLabels, findByExternalId, withMetadata } from "../../shared/platform/labels.ts";

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
        ...(query.externalId !== undefined && {
          externalId: query.externalId,
          cardholderId: query.cardholderId,
        }),
      },
      view: (item) => toCardItem(cards.parse(item)),
    },
    query,
  );

interface Wanted {
  readonly cardholderId?: string | undefined;
  readonly externalId?: string | undefined;
}

async function findCards(programId: string, { cardholderId, externalId }: Wanted): Promise<Records> {
  if (cardholderId === undefined && externalId === undefined) return { list: { programId, kind: cardList } };
  const cardIds =
    externalId === undefined
      ? await listCardIds(programId, cardholderId ?? "")
      : (await findByExternalId(programId, "card", externalId)).map(({ recordId }) => recordId);
  return { keys: cardIds.map((cardId) => cards.key(programId, cardId)) };
}

export const viewCard: Operations["GET /cards/{cardId}"] = async ({ scope, path }) =>
  withMetadata(scope.programId, path.cardId, toCardView(await getCard(scope.programId, path.cardId)));

/** In every status. Other than a Card's status and balances, they are the caller's own. */
export const updateCard: Operations["PUT /cards/{cardId}"] = async ({
  scope: { programId },
  path: { cardId },
  body,
}) => {
  const of = { programId, kind: "card", recordId: cardId } as const;
  const { changed, metadata } = await changeLabels(of, body, cards.at(programId, cardId));
  return { ...toCardView(changed), metadata };
};

export const viewStatus: Operations["GET /cards/{cardId}/status"] = async ({ scope, path }) => {
  const { issuerCardStatus } = await getCard(scope.programId, path.cardId);
  return { status: issuerCardStatus };
};

export const viewBalance: Operations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const card = await getCard(scope.programId, path.cardId);
  return { ...toBalances(card), currency: card.currency };
};
