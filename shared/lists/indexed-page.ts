import { timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { readBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
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
import type { Filter, Order, PageSpec } from "./page-spec.ts";
import { type EntryPage, type Parts, scanPage, selectPage } from "./select-page.ts";
import { matchesAll, type Seeking, type Sought, searchPage } from "./sought.ts";
import {
  keyText,
  readRidingRows,
  readSnapshot,
  type SeenList,
  SegmentDeletedError,
  type Snapshot,
  storedParts,
} from "./store.ts";

/** What an endpoint shows. `R` is the stored record, `V` the item of the response. */
export interface Listing<R, V> {
  /** The attribute that an `orderBy` of the endpoint sorts by, where it has another name. */
  readonly orders?: Readonly<Record<string, string>>;
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
export interface Search extends Omit<Listing<StoredRecord, never>, "orders" | "view"> {
  readonly attribute: string;
  readonly query: Omit<PageQuery, "orderBy">;
}

/** A page of all records of a list, however many: by its index. */
export function indexedPage<V, R = StoredRecord>(
  list: List | SeenList,
  listing: Listing<R, V>,
  query: PageQuery,
): Promise<Page<V>> {
  return viewPage(listing, query, (search) => readIndexedPage(list, toPageSpec(list, search), search));
}

const usualOrders: Readonly<Record<string, string>> = { dateCreated: "createdAt" };

export async function viewPage<V, R>(
  { orders, view, ...listing }: Listing<R, V>,
  query: PageQuery,
  read: (search: Search) => Promise<Page<StoredRecord>>,
): Promise<Page<V>> {
  const { [query.orderBy]: attribute = query.orderBy } = { ...usualOrders, ...orders };
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
  kinds: readonly [ListKind, ...ListKind[]],
  attribute = "entityId",
): Promise<readonly [SeenList, ...SeenList[]]> {
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
  const seen = lists.map((list, at) => ({ ...list, seen: { snapshot: snapshots[at] as Snapshot, rows } }));
  return seen as [SeenList, ...SeenList[]];
}

/** Reads manifest and summaries; then sparse indexes and recent changes; blocks; records. */
export function readIndexedPage(
  list: List | SeenList,
  spec: PageSpec,
  search: Search,
): Promise<Page<StoredRecord>> {
  const { kind } = list;
  const read = (entries: readonly Entry[]) => readRecords(list, entries);
  return withParts(list, spec, (parts) => readSelected({ kind, parts, spec }, search, read));
}

/** The records of the entries on the page. `search` says what more is sought. */
export async function readSelected(
  given: Omit<Seeking, "sought">,
  { where, query, sought = [] }: Search,
  read: (entries: readonly Entry[]) => Promise<StoredRecord[]>,
): Promise<Page<StoredRecord>> {
  if (where) return searchRecords({ ...given, sought }, where, query, read);
  const { entries, total } = await searchOrSelect({ ...given, sought });
  return { items: await read(entries), total };
}

/** What is only carried has no index. */
function isScanned({ filters, orders }: ListKind, { order, where }: PageSpec): boolean {
  return where !== undefined || (typeof order === "number" && order >= filters.length + orders.length);
}

function searchOrSelect(given: Seeking): Promise<EntryPage> {
  const { kind, parts, spec, sought } = given;
  if (isScanned(kind, spec)) return scan(given);
  return sought.length === 0 ? selectPage(kind, parts, spec) : searchPage(given);
}

/** Only the copy by time has all that is carried: it is read whatever else is sought. */
function scan(given: Seeking): Promise<EntryPage> {
  const { parts, spec } = given;
  const isSought = matchesAll(given);
  return scanPage(parts, { ...spec, where: (entry) => (spec.where?.(entry) ?? true) && isSought(entry) });
}

/** How many records one page may read for what no list knows: some seconds, a read unit each. */
export const searchedRecords = 20_000;

/** Its total is exact, so it reads all of them or none. */
export function requireFew(count: number, most = searchedRecords, found = String(count)): void {
  if (count <= most) return;
  const message = `${found} records would be read for this page, and at most ${most} are: give a shorter time span (after, before), or another filter`;
  throw new ApiError("VALIDATION_FAILED", [{ path: "query.after", code: "too_many_records", message }]);
}

/** How many records are in memory at a time, beside the page's. */
const recordsAtOnce = 2_000;

/** Reads all records that match the rest, since no list knows what is asked of them. */
async function searchRecords(
  given: Seeking,
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
): Promise<T> {
  return whileSegmentsStay(async (isFirst) => {
    const seen = isFirst && "seen" in list ? list.seen : undefined;
    return select(storedParts(list, order, seen?.snapshot ?? (await readSnapshot(list, order)), seen?.rows));
  });
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
  const keys = entries.map(({ id, list: own = list }, index) => recordKey(own, id, known[index] ?? {}));
  // Until a late change is rewritten, a record may be in two positions.
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
  const stored = new Map((await readBatch(distinct)).map((item) => [keyText(item as unknown as Key), item]));
  return entries.map(({ list: own = list }, index) => {
    const item = stored.get(keyText(keys[index] as Key));
    return { ...(item && (toRecord?.(item, own) ?? item)), ...known[index] };
  });
}
