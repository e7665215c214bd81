import { chooseCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { TokenDecisionView } from "../../shared/contract/tokens.ts";
import { listHistory, listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { keptQuestions } from "../../shared/questions/kept-question.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";
import {
  readTokenKeys,
  tokenEvents,
  tokenList,
  tokens,
  toTokenEventView,
  toTokenView,
} from "../../shared/tokens/token.ts";
import { noTokenRules, tokenRules } from "../../shared/tokens/token-rules.ts";

/** Tokens of a Card or of a Cardholder's Cards are few: they are all read. */
export const listTokens: Operations["GET /tokens"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, state, wallet } = query;
  const cardIds = await chooseCardIds({ programId, cardId, cardholderId });
  return listPage(
    {
      records: cardIds
        ? { keys: await readTokenKeys(programId, cardIds) }
        : { list: { programId, kind: tokenList } },
      orders: { tokenId: "entityId" },
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
  return listHistory(tokenEvents, [scope.programId, path.tokenId], toTokenEventView, query);
};

/** @throws ApiError NOT_FOUND, also while the question is open */
export const viewTokenDecision: Operations["GET /tokens/{tokenId}/decision"] = async ({
  scope: { programId },
  path: { tokenId },
}) => {
  const [{ outcome, createdAt, declineReason }, question] = await Promise.all([
    tokens.at(programId, tokenId).require(),
    keptQuestions.at(programId, tokenId).get(),
  ]);
  const byPlatform = { decidedBy: "platform", receivedAt: createdAt, decidedAt: createdAt } as const;
  const why = outcome === "declined" ? { reason: declineReason } : {};
  const lateAnswer = question?.lateAnswer;
  const view = { tokenId, outcome, ...(question?.decision ?? { ...byPlatform, ...why }), lateAnswer };
  return view as TokenDecisionView;
};

export const viewTokenRules: Operations["GET /token-rules"] = async ({ scope }) =>
  (await tokenRules.at(scope.programId).get())?.rules ?? noTokenRules;

/** The next request is decided by them. */
export const putTokenRules: Operations["PUT /token-rules"] = (request) => {
  const { programId } = request.scope;
  const rules = request.body;
  const stored = tokenRules.at(programId);
  return retryDecision(async () => {
    const { version, rules: before } = (await stored.get()) ?? { version: 0, rules: noTokenRules };
    const { committed } = await transact([
      stored.put({ rules, version: version + 1 }, version === 0 ? isNew : { version }),
      auditRequest(request, "token-rules.put", programId, { before: { ...before }, after: { ...rules } }),
    ]);
    return committed ? rules : new Conflict("tokenRules");
  });
};
