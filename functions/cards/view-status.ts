import { getCard } from "../../shared/domain/cards/card.ts";
import type { CardOperations } from "./operations.ts";

export const viewStatus: CardOperations["GET /cards/{cardId}/status"] = async ({ scope, path }) => {
  const { issuerCardStatus } = await getCard(scope.programId, path.cardId);
  return { status: issuerCardStatus };
};
