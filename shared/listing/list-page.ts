import type { Key } from "../table/keys.ts";
import { readBatch } from "../table/read-batch.ts";
import { matchingRecords } from "./candidates.ts";
import type { Listing, Page, PageQuery, StoredRecord } from "./listing.ts";

/**
 * One page of a list: what matches the filters and lies strictly between `after` and `before`, in the order asked for, with the
 * exact count of all matches. Records with equal values are ordered by id in the same direction, so that pages of an unchanging
 * list neither repeat nor skip one. Collections are read through an index, which follows a write within moments.
 *
 * @throws Error for an `orderBy` that the listing does not declare: the contract has let through what the list cannot do.
 */
export async function listPage(listing: Listing, query: PageQuery): Promise<Page> {
  const attribute = listing.orders[query.orderBy];
  if (attribute === undefined) throw new Error(`The list has no order ${query.orderBy}.`);
  const { records, projected } = await matchingRecords(listing, query);
  const direction = query.sort === "asc" ? 1 : -1;
  records.sort(
    (left, right) =>
      direction * (compare(left[attribute], right[attribute]) || compare(idOf(left), idOf(right))),
  );
  const page = records.slice(query.offset, query.offset + query.limit);
  return { items: projected ? await completeRecords(page) : page, total: records.length };
}

/** Records of one partition have their id at the end of their key. */
function idOf({ entityId, sk }: StoredRecord): unknown {
  return entityId ?? sk;
}

/** Numbers by value, strings by code unit; an absent value stands before all others. */
function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  return (left as string | number) < (right as string | number) ? -1 : 1;
}

/**
 * The page's records with all their attributes. The index projects only what a list filters and orders by; what it showed stays as
 * it was matched, so that no row contradicts the filter or the order that it was found with.
 */
async function completeRecords(page: StoredRecord[]): Promise<StoredRecord[]> {
  const rows = new Map<string, StoredRecord>();
  for (const row of await readBatch(page.map(keyOf))) rows.set(textOf(keyOf(row)), row);
  return page.map((indexed) => ({ ...rows.get(textOf(keyOf(indexed))), ...indexed }));
}

function keyOf({ pk, sk }: StoredRecord): Key {
  return { pk: String(pk), sk: String(sk) };
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
