import {
  type Authentication,
  authenticationList,
  authentications,
  readAuthenticationKeys,
  toAuthenticationView,
} from "../../shared/authentications/authentication.ts";
import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { AuthenticationDecisionView } from "../../shared/contract/authentications.ts";
import { listPage, type Records } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";

type List = Operations["GET /authentications"];
type Query = Parameters<List>[0]["query"];

export const listAuthentications: List = ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state } = query;
  const isOfCards = cardId !== undefined || cardholderId !== undefined;
  return listPage(
    {
      records: findAuthentications(programId, query),
      orders: { authenticationId: "entityId" },
      filters: { state, ...(isOfCards && { cardId, cardholderId }) },
      view: (stored) => toAuthenticationView(authentications.parse(stored)),
    },
    query,
  );
};

/** Those of a Card or of a Cardholder's Cards are read: all that may be of the time span. */
async function findAuthentications(programId: string, query: Query): Promise<Records> {
  const { cardId, cardholderId } = query;
  if (cardId === undefined && cardholderId === undefined)
    return { list: { programId, kind: authenticationList } };
  const cardIds = cardId === undefined ? await listCardIds(programId, cardholderId ?? "") : [cardId];
  return { keys: await readAuthenticationKeys(programId, cardIds, query) };
}

export const viewAuthentication: Operations["GET /authentications/{authenticationId}"] = async ({
  scope,
  path,
}) => toAuthenticationView(await authentications.at(scope.programId, path.authenticationId).require());

/** @throws ApiError NOT_FOUND, also while the question is open */
export const viewAuthenticationDecision: Operations["GET /authentications/{authenticationId}/decision"] =
  async ({ scope: { programId }, path: { authenticationId } }) => {
    const [authentication, question] = await Promise.all([
      authentications.at(programId, authenticationId).require(),
      keptQuestions.at(programId, authenticationId).get(),
    ]);
    const { createdAt, reason, state } = authentication;
    const byPlatform = { decidedBy: "platform", receivedAt: createdAt, decidedAt: createdAt } as const;
    const rejection = state === "rejected" ? { reason } : {};
    const view = {
      authenticationId,
      outcome: firstOutcome(authentication),
      ...(question?.decision ?? { ...byPlatform, ...rejection }),
      lateAnswer: question?.lateAnswer,
    };
    return view as AuthenticationDecisionView;
  };

/** What a challenge came to is no part of it. */
function firstOutcome({ state, method }: Authentication): AuthenticationDecisionView["outcome"] {
  if (method) return "challenged";
  if (state === "rejected") return "declined";
  return state === "attempted" ? "attempted" : "approved";
}
