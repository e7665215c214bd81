import { declareKey, type Key } from "../platform/table/keys.ts";

export type StoredRecord = Readonly<Record<string, unknown>>;

/** A value that a list filters or sorts by; null if the record has none. */
export type Value = string | number | null;

/** Each attribute has its own. */
export type SortKeys = Readonly<Record<string, (record: StoredRecord) => string>>;

/** A kind of list, declared beside the entity that it lists. */
export interface ListKind {
  /** Part of stored keys, so it never changes. */
  readonly name: string;
  /** Attributes with few different values. Any combination of them filters, and each sorts. */
  readonly filters: readonly string[];
  /** Attributes with many values that the list sorts by. Each costs sorted copies of the list. */
  readonly orders: readonly string[];
  /** What an attribute sorts by instead of its value. */
  readonly sortKeys?: SortKeys;
  /** More attributes that are known without reading the record. */
  readonly carried?: readonly string[];
  /** Those that only walks by time need: sorted copies leave them out. */
  readonly carriedByTime?: readonly string[];
  /** Those of the above that are times: ISO 8601 in the record, milliseconds in the entry. */
  readonly times?: readonly string[];
  /** Partitions of recent changes. Each takes 1,000 write units a second; a change costs 2. */
  readonly shards: number;
  /** Its changes ride: one row has those of all such lists that one transaction changes. */
  readonly rides?: boolean;
  /** How many settled changes are compacted, at least: 512, or fewer where changes are large. */
  readonly minimumChanges?: number;
  /** How long records are kept before they expire. */
  readonly retentionMs?: number;
  /** Without it no record is read: the list has all attributes of a page. */
  readonly recordKey?: (list: List, id: string, known: StoredRecord) => Key;
  /** Partition and sort key prefix, up to the ULID, of all records of an owner's list. */
  readonly recordPrefixes?: (list: List) => readonly Key[];
  /** Converts a stored item to the listed record; undefined if the list leaves it out. */
  readonly toRecord?: (stored: StoredRecord, list: List) => StoredRecord | undefined;
}

/** Without more, a list has no attributes, and few changes at a time. */
export function defineList(kind: Partial<ListKind> & Pick<ListKind, "name">): ListKind {
  return { filters: [], orders: [], shards: 1, ...kind };
}

/** One list: a Program's, or that of one owner in it. */
export interface List {
  readonly programId: string;
  readonly kind: ListKind;
  /** The id of the account whose list it is, if each account has a list of this kind. */
  readonly owner?: string | undefined;
}

/** How the partitions of a list begin. */
export function listPrefix({ programId, kind, owner }: List): string {
  return `${programId}#LIST#${kind.name}${owner === undefined ? "" : `#${owner}`}`;
}

/** The creation time of the oldest record that has not expired, in milliseconds. */
export function retainedSince({ retentionMs = Number.POSITIVE_INFINITY }: ListKind, at: number): number {
  return at - retentionMs;
}

/** The attributes of a kind, in the order of an entry's values. */
export function listAttributes(kind: ListKind): readonly string[] {
  return [...sortedAttributes(kind), ...(kind.carriedByTime ?? [])];
}

/** Those that sorted copies have: the first ones. */
export function sortedAttributes({ filters, orders, carried = [] }: ListKind): readonly string[] {
  return [...filters, ...orders, ...carried];
}

/** Partitions of riding changes: each takes 1,000 write units a second. */
export const ridingShards = 16;
/** What a riding kind has. A page that read 511 of such rows would take 100 units. */
export const rides = { rides: true, shards: ridingShards, minimumChanges: 256 } as const;

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

export function storeEntry({ weight, id, createdAt, values }: Entry) {
  return [weight, id, createdAt, ...values] as const;
}

export function changedEntries({ entries }: Pick<ChangeRow, "entries">): Entry[] {
  const rows = JSON.parse(entries) as ReturnType<typeof storeEntry>[];
  return rows.map(([weight, id, createdAt, ...values]) => ({ id, createdAt, values, weight }));
}
