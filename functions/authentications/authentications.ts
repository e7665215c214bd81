import {
  authenticationList,
  authentications,
  readAuthenticationKeys,
  toAuthenticationView,
} from "../../shared/authentications/authentication.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

type List = Operations["GET /authentications"];
type Query = Parameters<List>[0]["query"];

export const listAuthentications: List = ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state } = query;
  const isOfCards = cardId !== undefined || cardholderId !== undefined;
  return listPage(
    {
      records: findAuthentications(programId, query),
      orders: { dateCreated: "createdAt", authenticationId: "entityId" },
      filters: { state, ...(isOfCards && { cardId, cardholderId }) },
      view: (stored) => toAuthenticationView(authentications.parse(stored)),
    },
    query,
  );
};

/** Those of a Card or of a Cardholder's Cards are few: they are all read. */
async function findAuthentications(programId: string, { cardId, cardholderId }: Query): Promise<Records> {
  if (cardId === undefined && cardholderId === undefined)
    return { list: { programId, kind: authenticationList } };
  const cardIds = cardId === undefined ? await listCardIds(programId, cardholderId ?? "") : [cardId];
  return { keys: await readAuthenticationKeys(programId, cardIds) };
}

export const viewAuthentication: Operations["GET /authentications/{authenticationId}"] = async ({
  scope,
  path,
}) => toAuthenticationView(await authentications.at(scope.programId, path.authenticationId).require());
