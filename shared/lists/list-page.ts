import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { readBatch } from "../platform/table/batch.ts";
import { table } from "../platform/table/client.ts";
import type { Key, TableName } from "../platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import {
  type Entry,
  entryAttributes,
  type List,
  type ListKind,
  listAttributes,
  type SortKeys,
  type StoredRecord,
  sortValue,
  type Value,
} from "./kind.ts";
import { compareValues, type Filter, type Order, type PageSpec } from "./page-spec.ts";
import { type EntryPage, type Parts, scanPage, selectPage } from "./select-page.ts";
import { matchesAll, matchesSought, type Sought, searchPage } from "./sought.ts";
import {
  keyText,
  readRidingRows,
  readSnapshot,
  type SeenList,
  SegmentDeletedError,
  type Snapshot,
  storedParts,
} from "./store.ts";

/** What an endpoint lists. `R` is the stored record, `V` the item of the response. */
export interface Listing<R, V> {
  readonly records: Records | Promise<Records>;
  /** The attribute that each `orderBy` of the endpoint sorts by. */
  readonly orders: Readonly<Record<string, string>>;
  /** The value that an attribute must have; undefined does not filter. */
  readonly filters?: Readonly<Record<string, Value | undefined>>;
  /** The value that an attribute must not have. */
  readonly excluded?: Readonly<Record<string, Value>> | undefined;
  /** All of these must match: values between two, or that begin so. */
  readonly sought?: readonly Sought[];
  /** More that must be true of what the list carries: all its entries of the span are read. */
  readonly whereCarried?: ((record: StoredRecord) => boolean) | undefined;
  /** What no list knows: all records that match the others are read for it. */
  readonly where?: ((record: R) => boolean) | undefined;
  /** Where no list is read: its kind has its own. */
  readonly sortKeys?: SortKeys | undefined;
  readonly view: (record: R) => V;
}

/** Which records are listed. Each has `createdAt`, and `entityId` if it is in a list. */
export type Records =
  /** All records of a list, however many. */
  | { readonly list: List | SeenList; readonly partitions?: never }
  | PartitionRecords
  /** A few records with known keys. */
  | { readonly keys: readonly Key[] }
  /** A few records that the caller has read. */
  | { readonly given: readonly StoredRecord[] };

/** A few records that are all read: each partition key with the prefix of its sort keys. */
interface PartitionRecords {
  readonly partitions: readonly Key[];
  /** Default: `issuing`. */
  readonly table?: TableName;
  /** The list that the records belong to, if its kind distinguishes records from other items. */
  readonly list?: List;
}

export interface PageQuery {
  readonly orderBy: string;
  readonly sort: "asc" | "desc";
  /** Unix seconds: only records created strictly before. */
  readonly before?: number | undefined;
  /** Unix seconds: only records created strictly after. */
  readonly after?: number | undefined;
  /** `Infinity` for all records. */
  readonly limit: number;
  readonly offset: number;
}

export interface Page<V> {
  readonly items: V[];
  /** How many records match. */
  readonly total: number;
}

/** A listing whose order is chosen. */
export interface Search extends Omit<Listing<StoredRecord, never>, "records" | "orders" | "view"> {
  readonly attribute: string;
  readonly query: Omit<PageQuery, "orderBy">;
}

/**
 * A page with the exact total, including every answered write. Records with equal values are sorted
 * by id, so that pages of an unchanged list neither repeat nor skip one.
 */
export async function listPage<V, R = StoredRecord>(
  { records, ...listing }: Listing<R, V>,
  query: PageQuery,
): Promise<Page<V>> {
  const read = await records;
  return viewPage(listing, query, (search) => readPage(read, search));
}

export async function viewPage<V, R>(
  { orders, view, ...listing }: Omit<Listing<R, V>, "records">,
  query: PageQuery,
  read: (search: Search) => Promise<Page<StoredRecord>>,
): Promise<Page<V>> {
  const attribute = orders[query.orderBy];
  if (attribute === undefined) throw new Error(`The list has no order ${query.orderBy}.`);
  const { items, total } = await read({ ...(listing as Partial<Search>), attribute, query });
  return { items: items.map((record) => view(record as R)), total };
}

/** `after` in Unix seconds: only records created strictly after. */
export async function listTotal(list: List | SeenList, after?: number): Promise<number> {
  const query = { sort: "asc", limit: 0, offset: 0, after } as const;
  return (await selectStored(list, toPageSpec(list, { attribute: "entityId", query }))).total;
}

/**
 * Reads the rows of a Program's riding lists once for all of these lists; and what a page sorted by
 * an attribute needs first.
 */
export async function seeLists(
  programId: string,
  kinds: readonly ListKind[],
  attribute = "entityId",
): Promise<SeenList[]> {
  const lists = kinds.map((kind) => ({ programId, kind }));
  const snapshots = await Promise.all(
    lists.map((list) => readSnapshot(list, toOrder(list.kind, attribute) ?? "id")),
  );
  const [since = ""] = snapshots.map(([{ watermark }]) => watermark).toSorted();
  let reading: Promise<StoredRecord[]> | undefined;
  const rows = () => {
    reading ??= readRidingRows(programId, since);
    return reading;
  };
  return lists.map((list, index) => ({ ...list, seen: { snapshot: snapshots[index] as Snapshot, rows } }));
}

async function readPage(records: Records, search: Search): Promise<Page<StoredRecord>> {
  if ("keys" in records) return sortAndSlice(await readBatch(records.keys), search);
  if ("given" in records) return sortAndSlice(records.given, search);
  if (!records.partitions) return readListPage(records.list, search);
  const { partitions, list, table: tableName } = records;
  const read = await Promise.all(
    partitions.map((partition) => readAllItems(partitionQuery(partition, tableName))),
  );
  return sortAndSlice(list ? toRecords(list, read.flat()) : read.flat(), withKeysOf(list, search));
}

function withKeysOf(list: List | undefined, search: Search): Search {
  return { ...search, sortKeys: search.sortKeys ?? list?.kind.sortKeys };
}

function partitionQuery({ pk, sk }: Key, tableName: TableName = "issuing") {
  return toPartitionQuery(pk, sk, environment[`${tableName}Table`]);
}

function toRecords(list: List, items: readonly StoredRecord[]): StoredRecord[] {
  const { toRecord = (item: StoredRecord) => item } = list.kind;
  return items.map((item) => toRecord(item, list)).filter((record) => record !== undefined);
}

/** An owner's list of up to this length is read as a whole, without its index. */
const fewRecords = 128;

async function readListPage(list: List | SeenList, search: Search): Promise<Page<StoredRecord>> {
  const partitions = list.kind.recordPrefixes?.(list);
  const spec = toPageSpec(list, search);
  if (!partitions) return readIndexedPage(list, spec, search);
  const queries = partitions.map((partition) => ({ ...partitionQuery(partition), Limit: fewRecords }));
  const [snapshot, ...found] = await Promise.all([
    readSnapshot(list, spec.order),
    ...queries.map((query) => table.send(new QueryCommand(query))),
  ]);
  return found.some(({ LastEvaluatedKey }) => LastEvaluatedKey)
    ? readIndexedPage(list, spec, search, snapshot)
    : sortAndSlice(
        toRecords(
          list,
          found.flatMap(({ Items = [] }) => Items),
        ),
        withKeysOf(list, search),
      );
}

function sortAndSlice(records: readonly StoredRecord[], search: Search): Page<StoredRecord> {
  const { filters = {}, excluded = {}, attribute, query, sortKeys, sought = [] } = search;
  const { whereCarried = () => true, where = () => true } = search;
  const { sort, offset, limit } = query;
  const equal = Object.entries(filters).filter(([, value]) => value !== undefined);
  const unequal = Object.entries(excluded);
  const [before, after] = [isoTime(query.before), isoTime(query.after)];
  const matching = records.filter((record) => {
    const createdAt = record.createdAt as string;
    return (
      (before === undefined || createdAt < before) &&
      (after === undefined || createdAt > after) &&
      equal.every(([name, value]) => record[name] === value) &&
      unequal.every(([name, value]) => record[name] !== value) &&
      matchesSought(record, sought, sortKeys) &&
      whereCarried(record) &&
      where(record)
    );
  });
  const value = (record: StoredRecord) => sortValue(record, attribute, sortKeys);
  const sorted = matching.toSorted(
    (left, right) =>
      (sort === "asc" ? 1 : -1) *
      (compareValues(value(left), value(right)) || compareValues(recordId(left), recordId(right))),
  );
  return { items: sorted.slice(offset, offset + limit), total: matching.length };
}

/** Stored times are ISO 8601 of one length, which compare as strings. */
function isoTime(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}

/** Without an `entityId`, the sort key ends with the id, or the partition key does. */
function recordId({ entityId, pk, sk }: StoredRecord): Value {
  return (entityId ?? `${sk} ${pk}`) as Value;
}

/** Reads manifest and summaries; then sparse indexes and recent changes; blocks; records. */
function readIndexedPage(
  list: List | SeenList,
  spec: PageSpec,
  search: Search,
  snapshot?: Snapshot,
): Promise<Page<StoredRecord>> {
  const { kind } = list;
  const read = (entries: readonly Entry[]) => readRecords(list, entries);
  return withParts(list, spec, (parts) => readSelected({ kind, parts, spec }, search, read), snapshot);
}

/** The records of the entries on the page. `search` says what more is sought. */
export async function readSelected(
  given: Omit<Given, "sought">,
  { where, query, sought = [] }: Search,
  read: (entries: readonly Entry[]) => Promise<StoredRecord[]>,
): Promise<Page<StoredRecord>> {
  if (where) return searchRecords({ ...given, sought }, where, query, read);
  const { entries, total } = await searchOrSelect({ ...given, sought });
  return { items: await read(entries), total };
}

type Given = Parameters<typeof searchPage>[0];

/** What is only carried has no index. */
function isScanned({ filters, orders }: ListKind, { order, where }: PageSpec): boolean {
  return where !== undefined || (typeof order === "number" && order >= filters.length + orders.length);
}

function searchOrSelect(given: Given): Promise<EntryPage> {
  const { kind, parts, spec, sought } = given;
  if (isScanned(kind, spec)) return scan(given, spec);
  return sought.length === 0 ? selectPage(kind, parts, spec) : searchPage(given);
}

/** Only the copy by time has all that is carried: it is read whatever else is sought. */
function scan({ kind, parts, sought }: Given, spec: PageSpec): Promise<EntryPage> {
  const isSought = matchesAll(kind, sought);
  return scanPage(parts, { ...spec, where: (entry) => (spec.where?.(entry) ?? true) && isSought(entry) });
}

/** How many records one page may read for what no list knows: some seconds, a read unit each. */
export const searchedRecords = 20_000;

/** Its total is exact, so it reads all of them or none. */
function requireFew(count: number): void {
  if (count <= searchedRecords) return;
  const message = `${count} records would be read for this filter, and at most ${searchedRecords} are: give a shorter time span (after, before), or another filter`;
  throw new ApiError("VALIDATION_FAILED", [{ path: "query.after", code: "too_many_records", message }]);
}

/** How many records are in memory at a time, beside the page's. */
const recordsAtOnce = 2_000;

/** Reads all records that match the rest, since no list knows what is asked of them. */
async function searchRecords(
  given: Given,
  where: (record: StoredRecord) => boolean,
  { offset, limit }: Pick<PageQuery, "offset" | "limit">,
  read: (entries: readonly Entry[]) => Promise<StoredRecord[]>,
): Promise<Page<StoredRecord>> {
  const everything = { ...given.spec, offset: 0, limit: Number.POSITIVE_INFINITY };
  const { entries } = await searchOrSelect({ ...given, spec: everything });
  requireFew(entries.length);
  const items: StoredRecord[] = [];
  let total = 0;
  for (let begin = 0; begin < entries.length; begin += recordsAtOnce) {
    for (const record of (await read(entries.slice(begin, begin + recordsAtOnce))).filter(where)) {
      if (total >= offset && total < offset + limit) items.push(record);
      total += 1;
    }
  }
  return { items, total };
}

/** A page takes moments, and replaced segments are kept for minutes. */
const maximumAttempts = 3;

export function selectStored(list: List | SeenList, spec: PageSpec): Promise<EntryPage> {
  return withParts(list, spec, (parts) => selectPage(list.kind, parts, spec));
}

export function withParts<T>(
  list: List | SeenList,
  { order }: Pick<PageSpec, "order">,
  select: (parts: Parts) => Promise<T>,
  known?: Snapshot,
): Promise<T> {
  const seen = "seen" in list ? list.seen : undefined;
  const snapshot = known ?? seen?.snapshot;
  return whileSegmentsStay(async (isFirst) =>
    isFirst && snapshot
      ? select(storedParts(list, order, snapshot, seen?.rows))
      : select(storedParts(list, order, await readSnapshot(list, order))),
  );
}

export async function whileSegmentsStay<T>(read: (isFirst: boolean) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read(attempt === 1);
    } catch (error) {
      if (!(error instanceof SegmentDeletedError) || attempt === maximumAttempts) throw error;
    }
  }
}

/** Undefined if the list does not know the attribute. */
function toOrder(kind: ListKind, attribute: string): Order | undefined {
  if (attribute === "entityId") return "id";
  if (attribute === "createdAt") return attribute;
  const index = listAttributes(kind).indexOf(attribute);
  return index === -1 ? undefined : index;
}

export function toPageSpec(
  { kind }: Pick<List, "kind">,
  { filters = {}, excluded = {}, whereCarried, attribute, query }: Search,
): PageSpec {
  const indexOf = (name: string): number => {
    const index = listAttributes(kind).indexOf(name);
    if (index === -1) throw new Error(`The list of ${kind.name} does not know ${name}.`);
    return index;
  };
  const toFilters = (values: Readonly<Record<string, Value | undefined>>) =>
    Object.entries(values).flatMap(([name, value]): Filter[] =>
      value === undefined ? [] : [[indexOf(name), sortValue({ [name]: value }, name, kind.sortKeys)]],
    );
  const { entityId, ...others } = filters;
  return {
    order: entityId === undefined ? (toOrder(kind, attribute) ?? indexOf(attribute)) : "id",
    descending: query.sort === "desc",
    offset: query.offset,
    limit: query.limit,
    after: query.after === undefined ? Number.NEGATIVE_INFINITY : query.after * 1000,
    before: query.before === undefined ? Number.POSITIVE_INFINITY : query.before * 1000,
    id: entityId as string | undefined,
    equal: toFilters(others),
    unequal: toFilters(excluded),
    where: whereCarried && ((entry) => whereCarried({ ...entryAttributes(kind, entry), entityId: entry.id })),
  };
}

/** Listed attributes stay as they matched, even if the record is newer. */
export async function readRecords(list: List, entries: readonly Entry[]): Promise<StoredRecord[]> {
  const { recordKey, toRecord } = list.kind;
  const known = entries.map((entry) => entryAttributes(list.kind, entry));
  if (!recordKey) {
    return entries.map(({ id, createdAt }, index) => ({
      ...known[index],
      entityId: id,
      createdAt: timestamp(new Date(createdAt)),
    }));
  }
  const keys = entries.map(({ id }, index) => recordKey(list, id, known[index] ?? {}));
  // Until a late change is rewritten, a record may be in two positions.
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
  const records = new Map<string, StoredRecord>();
  for (const item of await readBatch(distinct)) {
    records.set(keyText(item as unknown as Key), toRecord?.(item, list) ?? item);
  }
  return keys.map((key, index) => ({ ...records.get(keyText(key)), ...known[index] }));
}
