import { chooseCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { listHistory } from "../../shared/lists/history.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import {
  readTokenKeys,
  tokenEvents,
  tokenList,
  tokens,
  toTokenEventView,
  toTokenView,
} from "../../shared/tokens/token.ts";

/** Tokens of a Card or of a Cardholder's Cards are few: they are all read. */
export const listTokens: Operations["GET /tokens"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state, wallet } = query;
  const cardIds = await chooseCardIds({ programId, cardId, cardholderId });
  return listPage(
    {
      records: cardIds
        ? { keys: await readTokenKeys(programId, cardIds) }
        : { list: { programId, kind: tokenList } },
      orders: { dateCreated: "createdAt", tokenId: "entityId" },
      // A list's own filters are the state and the wallet; the others have chosen few records.
      filters: { state, wallet, ...(cardIds && { cardholderId, cardId }) },
      view: (stored) => toTokenView(tokens.parse(stored)),
    },
    query,
  );
};

export const viewToken: Operations["GET /tokens/{tokenId}"] = async ({ scope, path }) =>
  toTokenView(await tokens.at(scope.programId, path.tokenId).require());

export const listTokenEvents: Operations["GET /tokens/{tokenId}/events"] = async ({ scope, path, query }) => {
  await tokens.at(scope.programId, path.tokenId).require();
  return listHistory(
    tokenEvents.records(scope.programId, path.tokenId),
    (stored) => toTokenEventView(tokenEvents.parse(stored)),
    query,
  );
};
