import type { FunctionName } from "./service-function.ts";

/** What can be done with the items of a table: `dynamodb:` actions on it, and on which of its indexes a query. */
export type TableRight =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Query by-collection"
  | "Query by-due"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "ConditionCheckItem"
  | "BatchWriteItem";

export type TableName = "issuing" | "accounts";

const read: readonly TableRight[] = ["GetItem", "BatchGetItem", "Query"];
const readWriteA: readonly TableRight[] = [
  ...read,
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "ConditionCheckItem",
];
const readWrite: readonly TableRight[] = [ ...readWriteA, "Query by-collection",
  "Query by-due",]


/** What each function may do with the items of each table, and nothing else. */
export const tableRights: Readonly<
  Record<FunctionName, Partial<Readonly<Record<TableName, readonly TableRight[]>>>>
> = {
  authorizer: { accounts: read },
  cardholders: { issuing: readWrite },
  cards: { issuing: readWrite, accounts: read },
  wallets: { issuing: readWrite, accounts: read },
  otp: { issuing: readWrite },
  webhooks: { issuing: readWrite },
  sandbox: { issuing: readWrite, accounts: read },
  account: { issuing: readWrite, accounts: readWriteA },
  operator: { issuing: readWrite, accounts: readWriteA },
  certificates: { issuing: ["PutItem"], accounts: readWriteA },
  "processor-events": { issuing: readWrite, accounts: read },
  "outbox-relay": {},
  "list-indexer": { issuing: [...readWrite, "BatchWriteItem"] },
  "webhook-fanout": { issuing: readWrite },
  "callback-delivery": { issuing: readWrite },
  "alert-delivery": { issuing: readWrite, accounts: read },
  deadlines: { issuing: readWrite, accounts: read },
};
