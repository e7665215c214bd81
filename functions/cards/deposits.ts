import { getCard } from "../../shared/cards/card.ts";
import { depositFromBank } from "../../shared/deposits/announce-deposit.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** @throws ApiError ILLEGAL_TRANSITION if the Card is closed or not yet approved */
export const depositOnCard: Operations["POST /cards/{cardId}/bank-deposit"] = (request) => {
  const { scope, path, body, idempotency } = request;
  return depositFromBank({ scope, account: { kind: "card", accountId: path.cardId }, body, idempotency });
};

/** Deprecated: deposits are detected on the chain. Moves nothing. */
export const notifyDeposit: Operations["POST /cards/{cardId}/deposit"] = async ({ scope, path }) => {
  await getCard(scope.programId, path.cardId);
  return {};
};
