import { cardholderList, cardholders, searchedNames } from "../../shared/cardholders/cardholder.ts";
import { cards, getCard } from "../../shared/cards/card.ts";
import { cardList, toCardItem, toCardView } from "../../shared/cards/card-view.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { StoredRecord } from "../../shared/lists/entry.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import { beginsSo } from "../../shared/lists/name-key.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { changeLabels, findByExternalId, withMetadata } from "../../shared/platform/labels.ts";

/** Includes closed and declined Cards. */
export const listCards: Operations["GET /cards"] = async ({ scope, query }) => {
  const where = await toWhere(scope.programId, query);
  return listPage(
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
      where,
      view: (item) => toCardItem(cards.parse(item)),
    },
    query,
  );
};

type Query = Parameters<Operations["GET /cards"]>[0]["query"];

/** Undefined if nothing is asked that only the record has. */
async function toWhere(programId: string, { lastFour, cardForm, name, fundingWalletId }: Query) {
  const isAsked = [lastFour, cardForm, name, fundingWalletId].some((wanted) => wanted !== undefined);
  if (!isAsked) return undefined;
  const owners = name === undefined ? undefined : await findNamedCardholders(programId, name);
  return (stored: StoredRecord) =>
    (lastFour === undefined || stored.lastFour === lastFour) &&
    (cardForm === undefined || stored.cardForm === cardForm) &&
    (fundingWalletId === undefined || stored.fundingWalletId === fundingWalletId) &&
    (owners === undefined || owners.has(String(stored.cardholderId)));
}

/** The Cardholder's names as they are now: a Card has the last name that it was issued with. */
async function findNamedCardholders(programId: string, name: string): Promise<ReadonlySet<string>> {
  const isNamed = beginsSo(name);
  const { items } = await listPage(
    {
      records: { list: { programId, kind: cardholderList } },
      orders: { cardholderId: "entityId" },
      where: (stored: StoredRecord) => isNamed(searchedNames(cardholders.parse(stored))),
      view: (stored: StoredRecord) => String(stored.entityId),
    },
    { orderBy: "cardholderId", sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  return new Set(items);
}

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
