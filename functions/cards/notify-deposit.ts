import { getCard } from "../../shared/domain/cards/card.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Deprecated: deposits are detected on the chain. Answers as before and moves nothing.
 * @throws ApiError NOT_FOUND
 */
export const notifyDeposit: CardOperations["POST /cards/{cardId}/deposit"] = async ({ scope, path }) => {
  await getCard(scope.programId, path.cardId);
  return {};
};
