import { environment } from "../platform/environment.ts";
import { newChangeId } from "../platform/id.ts";
import { declareKey, type Key, shardOf } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type Entry,
  type List,
  type ListKind,
  listPrefix,
  type StoredRecord,
  toEntry,
  toTombstone,
  type Value,
} from "./entry.ts";

/** `changeId` sorts by time. */
export const changeKey = declareKey("list change", (list: List, shard: number, changeId: string) => ({
  pk: `${listPrefix(list)}#CHANGES#${shard}`,
  sk: changeId,
}));

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
  /** Only a row that is a record's only copy has it. */
  readonly expiresAtSeconds?: number | undefined;
  /** Where the record is whose creation is the change: this row is made from it, and not stored. */
  readonly record?: Key | undefined;
}

/** An attribute of a new record that never changes: its creation is its change, without a row. */
export const ownChange = { listed: "itself" } as const;

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

export function listChange(list: List, entries: readonly Entry[], expiresAtSeconds?: number): WriteAction {
  const Item: ChangeRow = { ...changeRow(list, newChangeId(), entries), expiresAtSeconds };
  return { name: "listed", Put: { TableName: environment.issuingTable, Item } };
}

/** A record that never changes may be stored in the row that adds it. */
export function changeRow(list: List, changeId: string, entries: readonly Entry[]): ChangeRow {
  const { programId, kind, owner } = list;
  return {
    ...changeKey(list, changeShard(kind, changeId, entries), changeId),
    programId,
    listed: kind.name,
    owner,
    entries: JSON.stringify(
      entries.map(({ weight, id, createdAt, values }) => [weight, id, createdAt, ...values]),
    ),
  };
}

export function changedEntries({ entries }: Pick<ChangeRow, "entries">): Entry[] {
  const rows = JSON.parse(entries) as [weight: number, id: string, createdAt: number, ...values: Value[]][];
  return rows.map(([weight, id, createdAt, ...values]) => ({ id, createdAt, values, weight }));
}

export function changeShard(kind: ListKind, changeId: string, entries: readonly Entry[]): number {
  return shardOf(shardKey(kind, changeId, entries), kind.shards);
}

/** One change in 64 triggers a compaction. These share a shard: they arrive in order. */
export function triggersCompaction(kind: ListKind, row: Pick<ChangeRow, "sk" | "entries">): boolean {
  return shardOf(shardKey(kind, row.sk, changedEntries(row)), 64) === 0;
}

function shardKey(kind: ListKind, changeId: string, [first]: readonly Entry[]): string {
  return first && !kind.hasSingleEntry ? first.id : changeId;
}
