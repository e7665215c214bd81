import { getCard, toCardView } from "../../shared/domain/cards/card.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Views a Card, masked.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewCard: CardOperations["GET /cards/{cardId}"] = async ({ scope, path }) =>
  toCardView(await getCard(scope.programId, path.cardId));
