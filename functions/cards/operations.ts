import type { cardDataRoutes } from "../../shared/contract/card-data.ts";
import type { cardRoutes } from "../../shared/contract/cards.ts";
import type { transactionRoutes } from "../../shared/contract/transactions.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type CardOperations = Operations<
  (typeof cardRoutes | typeof cardDataRoutes | typeof transactionRoutes)[number]
>;
