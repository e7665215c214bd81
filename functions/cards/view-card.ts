import { getCard, toCardView } from "../../shared/domain/cards/card.ts";
import type { CardOperations } from "./operations.ts";

export const viewCard: CardOperations["GET /cards/{cardId}"] = async ({ scope, path }) =>
  toCardView(await getCard(scope.programId, path.cardId));
