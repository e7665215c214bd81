import { matchingRecords } from "./candidates.ts";
import type { Listing, Page, PageQuery } from "./listing.ts";
import { completeRecords } from "./rows.ts";

/**
 * One page of a list: what matches the filters and lies strictly between `after` and `before`, in the order asked for, with the
 * exact count of all matches. Records with equal values are ordered by id (their key) in the same direction, so that pages of an unchanging
 * list neither repeat nor skip one. Collections are read through an index, which follows a write within moments.
 *
 * @throws Error for an `orderBy` that the listing does not declare: the contract has let through what the list cannot do.
 */
export async function listPage(listing: Listing, query: PageQuery): Promise<Page> {
  const attribute = listing.orders[query.orderBy];
  if (attribute === undefined) throw new Error(`The list has no order ${query.orderBy}.`);
  const matches = await matchingRecords(listing, query);
  const direction = query.sort === "asc" ? 1 : -1;
  matches.sort(
    (left, right) =>
      direction *
      (compare(left[attribute], right[attribute]) ||
        compare(left.pk, right.pk) ||
        compare(left.sk, right.sk)),
  );
  const page = matches.slice(query.offset, query.offset + query.limit);
  return { items: await completeRecords(listing.records, page), total: matches.length };
}

/** Numbers by value, strings by code unit; an absent value stands before all others. */
function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  return (left as string | number) < (right as string | number) ? -1 : 1;
}
