import { CardBalanceProof } from "./balance-proof.ts";
import { FeeType, TransactionStatus, TransactionType } from "./enums.ts";
import { HoldMatching, holdMatchingQuery } from "./hold-matching.ts";
import { listQuery, queryEnum, text } from "./primitives.ts";
import { route } from "./route.ts";
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

export const statementRoutes = [
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/transactions",
    summary: "List what is posted or pending on Cards, all open holds in one aggregate line",
    answer: "list",
    query: transactionListQuery,
    response: TransactionsViewResponse,
    errors: [],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/fees",
    summary: "List the fees that were charged on Cards",
    answer: "list",
    query: feeListQuery,
    response: FeesViewResponse,
    errors: [],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/{cardId}/balance/proof",
    summary: "Prove a Card's balances from its journal",
    answer: "detail",
    response: CardBalanceProof,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/{cardId}/hold-matching",
    summary: "Report which holds and settlements seem to belong together",
    answer: "detail",
    query: holdMatchingQuery,
    response: HoldMatching,
    errors: ["NOT_FOUND"],
  }),
] as const;
