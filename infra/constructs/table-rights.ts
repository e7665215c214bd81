import type { FunctionName } from "./service-function.ts";

/** What can be done with the items of a table: a `dynamodb:` action on it, or a query of one of its indexes. */
export type TableRight =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Query by-due"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  /** Of a transaction that goes by an item which it leaves as it is. */
  | "ConditionCheckItem"
  /** Many at once, which are nobody's until another write tells of them. */
  | "BatchWriteItem";

interface TableRights {
  /** Where what Programs own stands, tickets beside it. */
  readonly issuing?: readonly TableRight[];
  /** Where settings and credentials stand: what serves Programs may read them at most. */
  readonly accounts?: readonly TableRight[];
}

/**
 * What each function may do with the items of the tables, and nothing else; the key that a table is encrypted by comes with it. Missing rights fail the handler's
 * tests and the local target, superfluous ones test/grants.
 */
export const tableRights: Readonly<Record<FunctionName, TableRights>> = {
  authorizer: { accounts: ["BatchGetItem", "Query"] },

  cardholders: { issuing: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"] },
  cards: {
    issuing: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
    accounts: ["GetItem"],
  },
  wallets: {
    issuing: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
    accounts: ["GetItem"],
  },
  otp: { issuing: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"] },
  webhooks: {
    issuing: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  },
  sandbox: {
    issuing: ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    accounts: ["GetItem"],
  },

  account: {
    issuing: ["GetItem", "Query", "PutItem", "DeleteItem"],
    accounts: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },
  certificates: {
    issuing: ["PutItem"],
    accounts: ["GetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
  },
  operator: {
    issuing: [
      "GetItem",
      "BatchGetItem",
      "Query",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "ConditionCheckItem",
    ],
    accounts: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  },

  "processor-events": {
    issuing: ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
    accounts: ["GetItem"],
  },
  deadlines: {
    issuing: [
      "GetItem",
      "Query",
      "Query by-due",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "ConditionCheckItem",
    ],
    accounts: ["GetItem"],
  },
  "list-indexer": {
    issuing: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "BatchWriteItem"],
  },
  "outbox-relay": {},
  "webhook-fanout": { issuing: ["GetItem", "BatchGetItem", "Query", "UpdateItem"] },
  "callback-delivery": { issuing: ["BatchGetItem", "PutItem", "UpdateItem"] },
  "alert-delivery": { issuing: ["GetItem", "BatchGetItem", "PutItem"], accounts: ["GetItem"] },
};
