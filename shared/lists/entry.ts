import { environment } from "../platform/environment.ts";
import { changeIdTime, newChangeId } from "../platform/id.ts";
import { chooseShard, type Key } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type ChangeRow,
  changeKey,
  type Entry,
  type List,
  type ListKind,
  listAttributes,
  riding,
  ridingKey,
  ridingShards,
  type StoredRecord,
  storeEntries,
  storeEntry,
  toEntry,
  toTombstone,
} from "./kind.ts";

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
