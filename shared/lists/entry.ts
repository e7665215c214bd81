import { environment } from "../platform/environment.ts";
import { changeIdTime, newChangeId } from "../platform/id.ts";
import { chooseShard, declareKey, type Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type List,
  type ListKind,
  listAttributes,
  listPrefix,
  ridingShards,
  type SortKeys,
  type StoredRecord,
  type Value,
} from "./kind.ts";

/**
 * What a list knows of one record. A list is the sum of its entries, in any order; a change is the
 * old entry with weight -1 (a tombstone) and the new one with +1.
 */
export interface Entry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** They are in the order of `listAttributes`. */
  readonly values: readonly Value[];
  readonly weight: number;
  /** Where several lists are read as one. */
  readonly list?: List;
}

export function toEntry(kind: ListKind, id: string, record: StoredRecord): Entry {
  const { times = [], sortKeys } = kind;
  return {
    id,
    createdAt: Date.parse(record.createdAt as string),
    values: listAttributes(kind).map((attribute) => {
      const value = sortValue(record, attribute, sortKeys);
      return times.includes(attribute) && value !== null ? Date.parse(String(value)) : value;
    }),
    weight: 1,
  };
}

/** The value that a record sorts by. */
export function sortValue(record: StoredRecord, attribute: string, sortKeys?: SortKeys): Value {
  return sortKeys?.[attribute]?.(record) ?? ((record[attribute] ?? null) as Value);
}

export function toTombstone(entry: Entry): Entry {
  return { ...entry, weight: -entry.weight };
}

/**
 * The record's attributes as of the entry. Times are left out: they never change; and what has a
 * sort key, which is not its value.
 */
export function entryAttributes(kind: ListKind, { values }: Entry): StoredRecord {
  const { times = [], sortKeys = {} } = kind;
  const known = listAttributes(kind).flatMap((attribute, index) => {
    const value = values[index] ?? null;
    return value === null || times.includes(attribute) || attribute in sortKeys ? [] : [[attribute, value]];
  });
  return Object.fromEntries(known);
}

/** `changeId` sorts by time. */
export const changeKey = declareKey("list change", (list: List, shard: number, changeId: string) => ({
  pk: `${listPrefix(list)}#CHANGES#${shard}`,
  sk: changeId,
}));

/**
 * A Card's changes to all riding lists are in one shard, so that none is read without the one
 * before. A notification's id names the shard, and so leads to its row.
 */
export const ridingKey = declareKey(
  "riding changes",
  (programId: string, shard: number, changeId: string) => ({
    pk: `${programId}#RIDING#${shard}`,
    sk: changeId,
  }),
);

/** Written in the record's transaction. */
export interface ChangeRow {
  readonly pk: string;
  /** The change's id; ids sort by time. */
  readonly sk: string;
  readonly programId: string;
  /** The kind's name. */
  readonly listed: string;
  readonly owner?: string | undefined;
  /** The entries, as JSON: weight, id, creation time, values. */
  readonly entries: string;
  /** When it was written again because it missed its compaction. Such a row no longer counts. */
  readonly rescuedAt?: string | undefined;
  /** Where the record, or the row of several lists, is that this row is made of. */
  readonly record?: Key | undefined;
}

/** An attribute of the rows of all riding lists. */
export const riding = { listed: "together" } as const;

/** The list's entries in a row of several lists; none if another list changes alone. */
export function ridingEntries({ name }: ListKind, stored: readonly string[]): string {
  const own = stored.filter((one) => one.startsWith(`${name}[`));
  return `[${own.map((one) => one.slice(name.length)).join(",")}]`;
}

export function storeEntries(entries: readonly Entry[]): string {
  return JSON.stringify(entries.map(storeEntry));
}

function storeEntry({ weight, id, createdAt, values }: Entry) {
  return [weight, id, createdAt, ...values] as const;
}

export function changedEntries({ entries }: Pick<ChangeRow, "entries">): Entry[] {
  const rows = JSON.parse(entries) as ReturnType<typeof storeEntry>[];
  return rows.map(([weight, id, createdAt, ...values]) => ({ id, createdAt, values, weight }));
}

/** Adds a record to a list, in the transaction that writes the record. */
export function listInsert(
  kind: ListKind,
  programId: string,
  id: string,
  record: object,
  owner?: string,
): WriteAction {
  return listChange({ programId, kind, owner }, [toEntry(kind, id, record as StoredRecord)]);
}

/** Without `after`, removes it. The transaction must require the listed values of `before`. */
export function listUpdate(
  kind: ListKind,
  programId: string,
  id: string,
  before: object,
  after: object | undefined,
  owner?: string,
): WriteAction {
  const tombstone = toTombstone(toEntry(kind, id, before as StoredRecord));
  const entries = after ? [tombstone, toEntry(kind, id, after as StoredRecord)] : [tombstone];
  return listChange({ programId, kind, owner }, entries);
}

/** `accountId`: whose change it is, if the entries do not have it. Only riding lists need it. */
export function listChange(list: List, entries: readonly Entry[], accountId?: string): WriteAction {
  const { kind, programId, owner } = list;
  const changeId = newChangeId();
  if (kind.rides) {
    const cardId = accountId ?? String(entries[0]?.values[listAttributes(kind).indexOf("cardId")]);
    const key = ridingKey(programId, ridingShard(cardId), changeId);
    return { ...changePut(ridingRow(kind, key, entries)), joins: "rider" };
  }
  const key = changeKey(list, chooseShard(shardKey(changeId, entries), kind.shards), changeId);
  return changePut({ ...key, programId, listed: kind.name, owner, entries: storeEntries(entries) });
}

export function changePut(Item: ChangeRow | ReturnType<typeof ridingRow>) {
  return { name: "listed", Put: { TableName: environment.issuingTable, Item } };
}

export function ridingShard(accountId: string): number {
  return chooseShard(accountId, ridingShards);
}

/** Entries of one record share it. */
export function shardKey(changeId: string, [first]: readonly Entry[]): string {
  return first?.id ?? changeId;
}

/** Long after their compaction, rows expire: that is free. */
const ridingKeptMs = 100 * 24 * 3_600_000;

/**
 * What rides in one row: in a transaction, such rows of one shard become one. A record that never
 * changes may be stored in it.
 */
export function ridingRow(kind: ListKind, key: Key, entries: readonly Entry[]) {
  return {
    ...key,
    listed: riding.listed,
    entries: entries.map((entry) => `${kind.name}${JSON.stringify(storeEntry(entry))}`),
    expiresAtSeconds: Math.ceil((changeIdTime(key.sk) + ridingKeptMs) / 1000),
  };
}
