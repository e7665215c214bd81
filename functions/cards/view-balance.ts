import { getCard } from "../../shared/domain/cards/card.ts";
import { toBalances } from "../../shared/domain/ledger/account.ts";
import type { CardOperations } from "./operations.ts";

export const viewBalance: CardOperations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const card = await getCard(scope.programId, path.cardId);
  return { ...toBalances(card), currency: card.currency };
};
