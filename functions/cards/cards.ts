import { cardholderList } from "../../shared/cardholders/cardholder.ts";
import { soughtPerson } from "../../shared/cardholders/sought-person.ts";
import { cards, getCard } from "../../shared/cards/card.ts";
import { cardList, toCardItem, toCardView } from "../../shared/cards/card-view.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import { listIds } from "../../shared/lists/walk.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { changeLabels, findByExternalId, withMetadata } from "../../shared/platform/labels.ts";

/** Includes closed and declined Cards. */
export const listCards: Operations["GET /cards"] = async ({ scope, query }) => {
  const { cardholderId, externalId, issuerCardStatus, lastFour, name } = query;
  const owners = name === undefined ? undefined : await findNamedCardholders(scope.programId, name);
  const sought = [
    ...(lastFour === undefined ? [] : [[{ attribute: "lastFour", is: lastFour }]]),
    ...(owners && owners.size <= fewOwners
      ? [[...owners].map((is) => ({ attribute: "cardholderId", is }))]
      : []),
  ];
  const isFew = sought.length > 0 || cardholderId !== undefined || externalId !== undefined;
  const conditions = toConditions(query, owners && owners.size > fewOwners ? owners : undefined, isFew);
  return listPage(
    {
      records: findCards(scope.programId, query),
      orders: { cardId: "entityId", createdDatetime: "createdAt" },
      sortKeys: cardList.sortKeys,
      filters: { issuerCardStatus, ...(externalId !== undefined && { externalId, cardholderId }) },
      sought,
      ...conditions,
      view: (item) => toCardItem(cards.parse(item)),
    },
    query,
  );
};

type Query = Parameters<Operations["GET /cards"]>[0]["query"];
type Condition = ((stored: StoredRecord) => boolean) | undefined;

/** Each of them is sought in the list; of more, all its entries are read. */
const fewOwners = 50;

/** What is not sought. The records of few Cards are read for it, of many what the list carries. */
function toConditions(
  { cardForm, fundingWalletId }: Query,
  owners: ReadonlySet<string> | undefined,
  isFew: boolean,
): { readonly whereCarried: Condition; readonly where: Condition } {
  const isAsked = cardForm !== undefined || owners !== undefined;
  const fits = (known: StoredRecord) =>
    (cardForm === undefined || known.cardForm === cardForm) &&
    (owners === undefined || owners.has(String(known.cardholderId)));
  const isFunded = (stored: StoredRecord) =>
    fundingWalletId === undefined || stored.fundingWalletId === fundingWalletId;
  if (!isFew)
    return {
      whereCarried: isAsked ? fits : undefined,
      where: fundingWalletId === undefined ? undefined : isFunded,
    };
  const isNeeded = isAsked || fundingWalletId !== undefined;
  return {
    whereCarried: undefined,
    where: isNeeded ? (stored) => fits(stored) && isFunded(stored) : undefined,
  };
}

/** The Cardholder's names as they are now: a Card has the last name that it was issued with. */
async function findNamedCardholders(programId: string, name: string): Promise<ReadonlySet<string>> {
  return new Set(await listIds({ programId, kind: cardholderList }, soughtPerson(name)));
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
export const updateCard: Operations["PUT /cards/{cardId}"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { cardId } = path;
  const of = { programId, kind: "card", recordId: cardId } as const;
  const { changed, metadata } = await changeLabels(of, body, cards.at(programId, cardId));
  return { ...toCardView(changed), metadata };
};

export const viewStatus: Operations["GET /cards/{cardId}/status"] = async ({ scope, path }) => {
  const { issuerCardStatus } = await getCard(scope.programId, path.cardId);
  return { status: issuerCardStatus };
};
