/** A `dynamodb:` action on a table, on partitions whose key ends so, or on one of its indexes. */
export type TablePermission =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "Query by-due"
  | "PutItem"
  /** Entries of the audit log, ids of webhooks and refused inputs need it. */
  | "PutItem #AUDIT"
  /** Keys that are stored under another pepper need it, and their API users. */
  | "PutItem KEY#*"
  | "DeleteItem KEY#*"
  | "UpdateItem tnt_*"
  | "PutItem #RECEIVED"
  | "PutItem #REFUSED"
  | "UpdateItem"
  | "DeleteItem"
  /** Transactions that check an item without changing it need it. */
  | "ConditionCheckItem"
  /** Items that need no condition are written by it. */
  | "BatchWriteItem";

interface TablePermissions {
  /** Resources of Programs, and tickets. */
  readonly issuing?: readonly TablePermission[];
  /**
   * Settings, credentials and the audit log. Functions that serve Programs can only read them, and
   * write audit entries. The authorizer can store a key under another pepper.
   */
  readonly accounts?: readonly TablePermission[];
}

/** The partitions that a permission is for, as IAM compares them. Undefined: all, or an index. */
export function toPartitions(permission: TablePermission): string | undefined {
  const [, part = ""] = permission.split(" ");
  if (part.startsWith("#")) return `*${part}`;
  return part.endsWith("*") ? part : undefined;
}

const adding = ["GetItem", "BatchGetItem", "Query", "PutItem"] as const;
const changing = [...adding, "UpdateItem", "DeleteItem"] as const;
/** What moves money needs all of these. */
const moving = [...changing, "ConditionCheckItem"] as const;
/** What changes settings and credentials. */
const administering = [
  "GetItem",
  "Query",
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "ConditionCheckItem",
] as const;

/**
 * All permissions of each function to table items; those for the table keys follow from them.
 * Missing ones fail handler tests, superfluous ones test/grants.
 */
const permissions = {
  authorizer: {
    accounts: ["BatchGetItem", "PutItem KEY#*", "DeleteItem KEY#*", "UpdateItem tnt_*"],
  },

  cardholders: { issuing: moving, accounts: ["GetItem"] },
  cards: { issuing: moving, accounts: ["GetItem", "PutItem #AUDIT"] },
  bulk: { issuing: adding },
  wallets: { issuing: moving, accounts: ["GetItem"] },
  ledger: { issuing: adding, accounts: ["GetItem"] },
  reports: { issuing: changing, accounts: ["GetItem"] },
  otp: { issuing: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"] },
  controls: { issuing: changing, accounts: ["GetItem", "PutItem #AUDIT"] },
  authentications: { issuing: changing, accounts: ["PutItem #AUDIT"] },
  statements: { issuing: adding, accounts: ["GetItem"] },
  disputes: { issuing: moving, accounts: ["GetItem"] },
  tokens: { issuing: changing, accounts: ["PutItem #AUDIT"] },
  "external-accounts": { issuing: [...adding, "UpdateItem"], accounts: ["PutItem #AUDIT"] },
  payouts: { issuing: moving, accounts: ["GetItem", "PutItem #AUDIT"] },
  webhooks: { issuing: changing },
  settlements: { issuing: adding, accounts: ["GetItem"] },
  sandbox: { issuing: moving, accounts: ["GetItem"] },

  "connection-webhooks": {
    issuing: ["GetItem", "PutItem #RECEIVED", "PutItem #REFUSED"],
    accounts: ["GetItem", "Query"],
  },

  account: { issuing: ["GetItem", "Query", "PutItem", "DeleteItem"], accounts: administering },
  certificates: {
    issuing: ["GetItem", "PutItem"],
    accounts: ["GetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
  },
  operator: { issuing: moving, accounts: administering },

  "processor-events": { issuing: moving, accounts: ["GetItem"] },
  evidence: { issuing: ["GetItem", "UpdateItem"] },
  files: { issuing: moving, accounts: ["GetItem"] },
  deadlines: {
    issuing: [...moving, "Query by-due", "BatchWriteItem"],
    accounts: ["GetItem", "PutItem #AUDIT"],
  },
  "list-indexer": { issuing: [...adding, "UpdateItem", "BatchWriteItem"] },
  "outbox-relay": { issuing: ["GetItem", "Query", "PutItem"] },
  "webhook-fanout": { issuing: ["GetItem", "BatchGetItem", "Query", "UpdateItem"] },
  "background-jobs": {
    issuing: [...moving, "BatchWriteItem"],
    accounts: ["GetItem", "PutItem #AUDIT"],
  },
  "callback-delivery": {
    issuing: ["BatchGetItem", "PutItem", "UpdateItem", "ConditionCheckItem", "BatchWriteItem"],
  },
  // The record of a PIN, in the transaction that sets it, and the expiries of a number's plastics.
  // All else is in a table of its own.
  vault: { issuing: ["Query", "PutItem", "ConditionCheckItem"] },
  "alert-delivery": {
    issuing: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "BatchWriteItem"],
    accounts: ["GetItem"],
  },
} as const satisfies Record<string, TablePermissions>;

/** Folders of `functions/`, one Lambda each. */
export type FunctionName = keyof typeof permissions;

/** Only the vault function has any to the vault's table. */
export const vaultPermissions = [
  "GetItem",
  "PutItem",
  "UpdateItem",
] as const satisfies readonly TablePermission[];

export const tablePermissions: Readonly<Record<FunctionName, TablePermissions>> = permissions;
