import { holdList, holds } from "../../shared/authorizations/holds/hold.ts";
import { readEvents } from "../../shared/authorizations/holds/named-events.ts";
import { type CardScope, chooseCardIds, findCardRecords } from "../../shared/cards/cards-of-cardholder.ts";
import { accounts } from "../../shared/ledger/account.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import type { Source, Sources } from "./transactions.ts";

/** What belongs to an authorization, a Card or a Cardholder is read without an index. */
export const sources: Sources = {
  openHolds: holdList,
  chooseFew: (programId, { authorizationId, cardId, cardholderId, transId }) => {
    const cards = { programId, cardId, cardholderId };
    if (authorizationId !== undefined)
      return toSource(() => ofAuthorization(programId, authorizationId), cards);
    if (cardId === undefined && cardholderId === undefined) return undefined;
    return toSource(() => findCardRecords(transactionList, cards, transId, "transaction"), cards);
  },
};

function toSource(find: () => Promise<Records>, cards: CardScope): Source {
  return {
    page: (listing, query) => listPage({ records: find(), ...listing }, query),
    heldMinor: () => sumOpenHolds(cards),
  };
}

/** Those that are listed. */
async function ofAuthorization(programId: string, authorizationId: string): Promise<Records> {
  const hold = await holds.at(programId, authorizationId).get();
  const found = hold ? await readEvents(hold) : [];
  return { given: found.filter(({ entityId }) => entityId !== undefined) };
}

/** In minor units, of a Card or a Cardholder. A Card's holds count only for its own Cardholder. */
async function sumOpenHolds(scope: CardScope): Promise<number> {
  const { programId, cardholderId } = scope;
  const cardIds = (await chooseCardIds(scope)) ?? [];
  const stored = await readBatch(cardIds.map((id) => accounts.card.key(programId, id)));
  const counted = stored
    .filter((card) => cardholderId === undefined || card.cardholderId === cardholderId)
    .map((card) => accounts.card.parse(card));
  return counted.reduce((sum, { heldMinor, fundedHeldMinor = 0 }) => sum + heldMinor + fundedHeldMinor, 0);
}
