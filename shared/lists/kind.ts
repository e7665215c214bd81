import type { Key } from "../platform/table/keys.ts";

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

/** One list: a Program's, or that of one owner in it. */
export interface List {
  readonly programId: string;
  readonly kind: ListKind;
  /** The id of the account whose list it is, if each account has a list of this kind. */
  readonly owner?: string | undefined;
}

/** @throws Error for a Program-wide list */
export function listOwner({ kind, owner }: List): string {
  if (owner === undefined) throw new Error(`The list ${kind.name} needs its account.`);
  return owner;
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

/** An attribute of a new record that never changes: its creation is its change, without a row. */
export const ownChange = { listed: "itself" } as const;

/** Partitions of riding changes: each takes 1,000 write units a second. */
export const ridingShards = 16;
/** What a riding kind has. A page that read 511 of such rows would take 100 units. */
export const rides = { rides: true, shards: ridingShards, minimumChanges: 256 } as const;
