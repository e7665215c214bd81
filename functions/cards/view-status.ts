import { getCard } from "../../shared/domain/cards/card.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Views a Card's operational status.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewStatus: CardOperations["GET /cards/{cardId}/status"] = async ({ scope, path }) => {
  const { issuerCardStatus } = await getCard(scope.programId, path.cardId);
  return { status: issuerCardStatus };
};
