import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { earliestId } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { table } from "../platform/table/client.ts";
import { afterAll, type Key, type TableName } from "../platform/table/keys.ts";
import { readPages, toPartitionQuery } from "../platform/table/query.ts";
import {
  type Listing,
  type Page,
  type PageQuery,
  readIndexedPage,
  requireFew,
  type Search,
  toPageSpec,
  viewPage,
} from "./indexed-page.ts";
import { apartMs, type LongPartition, mostRead, readFromEnd } from "./keyed-page.ts";
import { type List, type SortKeys, type StoredRecord, sortValue, type Value } from "./kind.ts";
import { compareValues, isWithin, toWithin } from "./page-spec.ts";
import type { Sought } from "./sought.ts";
import { readSnapshot } from "./store.ts";

/** What an endpoint lists, and of which records. */
export interface ListedRecords<R, V> extends Listing<R, V> {
  readonly records: Records | Promise<Records>;
}

/** Which records are listed. Each has `createdAt`, and `entityId` if it is in a list. */
export type Records =
  /** All records of a list, however many. */
  | { readonly list: List; readonly partitions?: never }
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
  readonly list?: List | undefined;
  /** The ids that the sort keys end with: of a time span, no others are read, and not too many. */
  readonly ids?: Parameters<typeof earliestId>[0] | undefined;
  /** What was counted, of one partition that is too long to be read as a whole. */
  readonly counted?: LongPartition["counted"];
}

/**
 * A page with the exact total, including every answered write. Records with equal values are sorted
 * by id, so that pages of an unchanged list neither repeat nor skip one.
 */
export async function listPage<V, R = StoredRecord>(
  { records, ...listing }: ListedRecords<R, V>,
  query: PageQuery,
): Promise<Page<V>> {
  const read = await records;
  return viewPage(listing, query, (search) => readPage(read, search));
}

async function readPage(records: Records, search: Search): Promise<Page<StoredRecord>> {
  if ("keys" in records) return sortAndSlice(await readBatch(records.keys), search);
  if ("given" in records) return sortAndSlice(records.given, search);
  if (!records.partitions) return readListPage(records.list, search);
  const { list, ids, counted, partitions, table: tableName = "issuing" } = records;
  const [key] = partitions;
  if (key && ids && counted && isWhole(search)) {
    const query = toPartitionQuery(key.pk, key.sk, environment[`${tableName}Table`]);
    const { items, total } = await readFromEnd({ query, key, ids, counted }, search.query);
    return { ...sortAndSlice(items, search), total };
  }
  const items = await readPartitions(records, search.query);
  return sortAndSlice(list ? toRecords(list, items) : items, withKeysOf(list, search));
}

function isWhole({ filters = {}, query: { after, before } }: Search): boolean {
  return [after, before, ...Object.values(filters)].every((value) => value === undefined);
}

/** All that may be of the time span. */
export async function readPartitions(
  { partitions, table: tableName = "issuing", ids }: PartitionRecords,
  span: Pick<PageQuery, "after" | "before">,
): Promise<StoredRecord[]> {
  const items: StoredRecord[] = [];
  const read = async ({ pk, sk }: Key) => {
    const [first, last] = ids ? [sk + idAt(ids, span.after, -1), sk + idAt(ids, span.before, 1)] : [sk, sk];
    if (first > last) return;
    const query = toPartitionQuery(pk, ids ? { first, last } : sk, environment[`${tableName}Table`]);
    for await (const page of readPages(query)) {
      for (const item of page) items.push(item);
      if (ids) requireFew(items.length, mostRead, `More than ${mostRead}`);
    }
  };
  await Promise.all(partitions.map(read));
  return items;
}

function idAt(ids: Parameters<typeof earliestId>[0], seconds: number | undefined, side: 1 | -1): string {
  if (seconds === undefined) return side === 1 ? afterAll : "";
  return earliestId(ids, new Date(Math.max(0, seconds * 1000 + side * apartMs)));
}

function withKeysOf(list: List | undefined, search: Search): Search {
  return { ...search, sortKeys: search.sortKeys ?? list?.kind.sortKeys };
}

function toRecords(list: List, items: readonly StoredRecord[]): StoredRecord[] {
  const { toRecord = (item: StoredRecord) => item } = list.kind;
  return items.map((item) => toRecord(item, list)).filter((record) => record !== undefined);
}

/** An owner's list of up to this length is read as a whole, without its index. */
const fewRecords = 128;

async function readListPage(list: List, search: Search): Promise<Page<StoredRecord>> {
  const partitions = list.kind.recordPrefixes?.(list);
  const spec = toPageSpec(list, search);
  if (!partitions) return readIndexedPage(list, spec, search);
  const queries = partitions.map(({ pk, sk }) => ({ ...toPartitionQuery(pk, sk), Limit: fewRecords }));
  const [snapshot, ...found] = await Promise.all([
    readSnapshot(list, spec.order),
    ...queries.map((query) => table.send(new QueryCommand(query))),
  ]);
  return found.some(({ LastEvaluatedKey }) => LastEvaluatedKey)
    ? readIndexedPage({ ...list, seen: { snapshot } }, spec, search)
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

/** What is sought, of a record in memory. */
function matchesSought(record: StoredRecord, sought: readonly Sought[], sortKeys?: SortKeys): boolean {
  return sought.every((spans) =>
    spans.some((span) =>
      isWithin(toWithin(span), { value: sortValue(record, span.attribute, sortKeys), id: "" }),
    ),
  );
}

/** A kind of item that is stored with the record that it belongs to. */
interface Belonging<Item> {
  records(...begin: string[]): Records;
  parse(stored: StoredRecord): NoInfer<Item>;
}

/** What belongs to one record, such as what happened to it: time alone orders it. */
export function listHistory<Item, V>(
  items: Belonging<Item>,
  begin: readonly string[],
  view: (item: Item) => V,
  query: PageQuery,
): Promise<Page<V>> {
  return listPage(
    {
      records: items.records(...begin),
      view: (stored) => view(items.parse(stored)),
    },
    query,
  );
}
