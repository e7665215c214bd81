import { notificationsKeptSeconds } from "../contract/notifications.ts";
import type { JournalEntry } from "../domain/ledger/journal-entry.ts";
import { entryIdOf, walletTransactionOf } from "../domain/ledger/wallet-transaction.ts";
import { issuingKey, type Key } from "../platform/table/keys.ts";
import { webhookKey } from "../platform/table/webhook-keys.ts";
import type { Entry, Value } from "./entry.ts";
import type { StoredRecord } from "./listing.ts";

/**
 * The kinds of records that a Program has lists of, however many they are. `holds` is a list that nobody sees: its weights are minor units, and its total
 * is what is held in all.
 */
export type ProgramKind =
  | "transactions"
  | "fees"
  | "cards"
  | "cardholders"
  | "wallets"
  | "deposits"
  | "notifications"
  | "holds";

/** The kinds of which each Wallet or Card has a list of its own. */
export type OwnedKind = (typeof ownedKinds)[number];
const ownedKinds = ["transfers", "walletTransactions", "accountDeposits"] as const;

export type ListedKind = ProgramKind | OwnedKind;

/** One list: a kind of records, of a whole Program or of one owner. */
export interface ListOf {
  readonly programId: string;
  readonly kind: ListedKind;
  /** The Wallet or Card whose list it is; of the kinds that have owners only. */
  readonly owner?: string | undefined;
}

/** What a list knows of each of its records without reading it. */
export interface KindSpec {
  /** Attributes of few different values: counted in every directory, so that any combination of them filters, and each of them orders. */
  readonly filters: readonly string[];
  /** Attributes of many values that a list orders by: each has sorted copies. */
  readonly orders: readonly string[];
  /** What else leads to the record. */
  readonly carried: readonly string[];
  /** Those of the above that are times: ISO 8601 in the record, milliseconds in the entry. */
  readonly times: readonly string[];
  /** Partitions that changes wait in: 1,000 write units a second each, two a change. */
  readonly shards: number;
  /** Whether all changes of a record wait in one partition, which is read at one moment: of two that follow one another none is seen without the one before. */
  readonly byRecord: boolean;
  /** For how long records are kept, where they expire: pages cover no earlier ones. */
  readonly keptMs?: number;
  /** Where a record is stored, from what the list knows of it. */
  readonly keyOf: (list: ListOf, id: string, told: StoredRecord) => Key;
  /** The partition and the sort key's prefix that an owner's records stand under, where they are together. */
  readonly partitionOf?: (list: ListOf) => Key;
  /** The record with the attributes that the list goes by, where it is stored as something else; undefined where the list does not have it. */
  readonly recordOf?: (list: ListOf, stored: StoredRecord) => StoredRecord | undefined;
}

/** A Wallet takes fewer writes a second than one partition does: its balance is one item. */
const ownedShards = 1;

export const kinds: Readonly<Record<ListedKind, KindSpec>> = {
  transactions: {
    filters: ["transType", "transStatus"],
    orders: ["transDate", "amountMinor"],
    carried: ["cardId"],
    times: ["transDate"],
    shards: 16,
    byRecord: true,
    keyOf: ({ programId }, id, { cardId }) => issuingKey.transaction(programId, String(cardId), id),
  },
  fees: {
    filters: ["feeType", "transStatus"],
    orders: ["amountMinor"],
    carried: ["cardId"],
    times: [],
    shards: 16,
    byRecord: true,
    keyOf: ({ programId }, id, { cardId }) => issuingKey.fee(programId, String(cardId), id),
  },
  cards: {
    filters: ["issuerCardStatus"],
    orders: ["cardholderId", "cardHolderLastName"],
    carried: [],
    times: [],
    shards: 1,
    byRecord: true,
    keyOf: ({ programId }, id) => issuingKey.card(programId, id),
  },
  cardholders: {
    filters: ["status"],
    orders: ["lastName"],
    carried: [],
    times: [],
    shards: 1,
    byRecord: true,
    keyOf: ({ programId }, id) => issuingKey.cardholder(programId, id),
  },
  wallets: {
    filters: [],
    orders: [],
    carried: [],
    times: [],
    shards: 1,
    byRecord: true,
    keyOf: ({ programId }, id) => issuingKey.wallet(programId, id),
  },
  deposits: {
    filters: ["status", "channel"],
    orders: ["amountMinor"],
    carried: [],
    times: [],
    shards: 8,
    byRecord: true,
    keyOf: ({ programId }, id) => issuingKey.deposit(programId, id),
  },
  accountDeposits: {
    filters: ["status", "channel"],
    orders: ["amountMinor"],
    carried: [],
    times: [],
    shards: ownedShards,
    byRecord: true,
    keyOf: ({ programId }, id) => issuingKey.deposit(programId, id),
  },
  transfers: {
    filters: ["transStatus"],
    orders: ["requestedAmountMinor"],
    carried: [],
    times: [],
    shards: ownedShards,
    byRecord: true,
    keyOf: ({ programId, owner = "" }, id) => issuingKey.transfer(programId, owner, id),
    partitionOf: ({ programId, owner = "" }) => issuingKey.transfer(programId, owner, ""),
    recordOf: (_, transfer) => ({ ...transfer, entityId: transfer.transferId }),
  },
  walletTransactions: {
    filters: ["type"],
    orders: ["amountMinor"],
    carried: [],
    times: [],
    shards: ownedShards,
    byRecord: true,
    keyOf: ({ programId, owner = "" }, id, { type }) =>
      issuingKey.entry(programId, owner, entryIdOf(id, String(type))),
    partitionOf: ({ programId, owner = "" }) => issuingKey.entry(programId, owner, ""),
    recordOf: ({ owner = "" }, entry) => {
      const transaction = walletTransactionOf(entry as unknown as JournalEntry, owner);
      return transaction && { ...transaction };
    },
  },
  notifications: {
    filters: ["eventType"],
    orders: [],
    // All that a page shows, so that it reads no records: their bodies are large.
    carried: ["cardId", "bodySha256"],
    times: [],
    shards: 16,
    byRecord: true,
    // A minute less than its records, so that none expires while it is on a page.
    keptMs: (notificationsKeptSeconds - 60) * 1000,
    keyOf: ({ programId }, id) => webhookKey.notification(programId, id),
  },
  holds: {
    filters: [],
    orders: [],
    carried: [],
    times: [],
    shards: 16,
    // All are of one sum.
    byRecord: false,
    keyOf: ({ programId }, id) => issuingKey.hold(programId, id),
  },
};

/** When the oldest record of a kind that has not expired was created at the earliest. */
export function keptSince(kind: ListedKind, at: number): number {
  return at - (kinds[kind].keptMs ?? Number.POSITIVE_INFINITY);
}

export function isProgramKind(kind: string): kind is ProgramKind {
  return kind in kinds && !(ownedKinds as readonly string[]).includes(kind);
}

/** The attributes of a kind, in the order of an entry's values. */
export function attributesOf(kind: ListedKind): readonly string[] {
  const { filters, orders, carried } = kinds[kind];
  return [...filters, ...orders, ...carried];
}

/** What a list knows of a record. */
export function entryOf(kind: ListedKind, id: string, record: StoredRecord): Entry {
  const { times } = kinds[kind];
  return {
    id,
    createdAt: Date.parse(record.createdAt as string),
    values: attributesOf(kind).map((attribute) => {
      const value = (record[attribute] ?? null) as Value;
      return times.includes(attribute) && value !== null ? Date.parse(String(value)) : value;
    }),
    weight: 1,
  };
}

/** What an entry tells of its record that may have changed since; times never do. */
export function attributesIn(kind: ListedKind, { values }: Entry): StoredRecord {
  const { times } = kinds[kind];
  const told = attributesOf(kind).flatMap((attribute, index) => {
    const value = values[index] ?? null;
    return value === null || times.includes(attribute) ? [] : [[attribute, value]];
  });
  return Object.fromEntries(told);
}
