import { proveBalances } from "../../shared/domain/proofs/prove-balances.ts";
import type { CardOperations } from "./operations.ts";

export const proveBalance: CardOperations["GET /cards/{cardId}/balance/proof"] = async ({ scope, path }) => {
  const { cardId } = path;
  return { cardId, ...(await proveBalances(scope.programId, { kind: "card", accountId: cardId })) };
};
