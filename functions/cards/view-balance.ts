import { getCard } from "../../shared/card/card.ts";
import { toBalances } from "../../shared/ledger/account.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Views a Card's balances, in minor units.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewBalance: CardOperations["GET /cards/{cardId}/balance"] = async ({ scope, path }) => {
  const card = await getCard(scope.programId, path.cardId);
  return { ...toBalances(card), currency: card.currency };
};
