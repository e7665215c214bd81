import { CardBalanceProof } from "./balance-proof.ts";
import { FeeType, TransactionStatus, TransactionType } from "./enums.ts";
import { HoldMatching, holdMatchingQuery } from "./hold-matching.ts";
import { listQuery, queryEnum, text } from "./primitives.ts";
import { routesOf } from "./route.ts";
import { FeesViewResponse, TransactionsViewResponse } from "./transactions.ts";

/** What the money of cards did: the statement, and what proves that it adds up. */

const cardFilters = { cardId: text(64).optional(), cardholderId: text(64).optional() };

/** The `transId` of the aggregate line, under which it can be asked for too. */
export const aggregateTransId = "pending";

export const transactionListQuery = listQuery(
  ["transDate", "transId", "amount", "transType", "transStatus"],
  { orderBy: "transDate", sort: "desc" },
  {
    ...cardFilters,
    transId: text(64).optional(),
    transStatus: queryEnum(TransactionStatus).optional(),
    transType: queryEnum(TransactionType).optional(),
  },
);

export const feeListQuery = listQuery(
  ["dateCreated", "feeId", "feeType", "amount"],
  { orderBy: "dateCreated", sort: "desc" },
  {
    ...cardFilters,
    feeId: text(64).optional(),
    feeStatus: queryEnum(TransactionStatus).optional(),
    feeType: queryEnum(FeeType).optional(),
  },
);

const route = routesOf({ api: "platform", function: "cards" });

export const statementRoutes = [
  route(
    "GET /cards/transactions",
    "List what is posted or pending on Cards, all open holds in one aggregate line",
    { query: transactionListQuery, items: TransactionsViewResponse },
  ),
  route("GET /cards/fees", "List the fees that were charged on Cards", {
    query: feeListQuery,
    items: FeesViewResponse,
  }),
  route("GET /cards/{cardId}/balance/proof", "Prove a Card's balances from its journal", {
    data: CardBalanceProof,
    errors: ["NOT_FOUND"],
  }),
  route("GET /cards/{cardId}/hold-matching", "Report which holds and settlements seem to belong together", {
    query: holdMatchingQuery,
    data: HoldMatching,
    errors: ["NOT_FOUND"],
  }),
] as const;
