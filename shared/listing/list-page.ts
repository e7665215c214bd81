import { type FewRecords, matchingRecords } from "./candidates.ts";
import { compareValues, type Value } from "./entry.ts";
import type { Listing, Page, PageQuery, StoredRecord } from "./listing.ts";
import { programPage } from "./program-page.ts";

/**
 * One page of a list: what matches the filters and lies strictly between `after` and `before`, in the order asked for, with the
 * exact count of all matches. Records with equal values are ordered by id in the same direction, so that pages of an unchanging
 * list neither repeat nor skip one. A write that was answered is in every page that is asked for afterwards.
 *
 * @throws Error for an `orderBy` that the listing does not declare: the contract has let through what the list cannot do.
 */
export async function listPage(listing: Listing, query: PageQuery): Promise<Page> {
  const attribute = listing.orders[query.orderBy];
  if (attribute === undefined) throw new Error(`The list has no order ${query.orderBy}.`);
  const { records } = listing;
  if (!areFew(records)) {
    const [kind, id] =
      "collection" in records ? [records.collection, undefined] : [records.recorded, records.entityId];
    return programPage({ programId: records.programId, kind }, { listing, query, attribute, id });
  }
  const matches = await matchingRecords(records, listing, query);
  const direction = query.sort === "asc" ? 1 : -1;
  matches.sort(
    (left, right) =>
      direction *
      (compareValues(valueIn(left, attribute), valueIn(right, attribute)) ||
        compareValues(idOf(left), idOf(right))),
  );
  return { items: matches.slice(query.offset, query.offset + query.limit), total: matches.length };
}

/** Whether the records stand with few others, so that reading all of these is cheaper than knowing of them beforehand. */
function areFew(records: Listing["records"]): records is FewRecords {
  if ("partition" in records || "keys" in records) return true;
  return records.cardholderId !== undefined || ("recorded" in records && records.cardId !== undefined);
}

function valueIn(record: StoredRecord, attribute: string): Value {
  return (record[attribute] ?? null) as Value;
}

/** Records of one partition have their id at the end of their sort key, those with known keys in their partition key. */
function idOf({ entityId, pk, sk }: StoredRecord): Value {
  return (entityId ?? `${sk} ${pk}`) as Value;
}
