import { type FewRecords, fewOwned, matchingRecords, recordMatcher } from "./candidates.ts";
import { compareValues, type Value } from "./entry.ts";
import type { Listing, OwnedRecords, Page, PageQuery, StoredRecord } from "./listing.ts";
import { readManifest } from "./manifest.ts";
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
  if ("owned" in records) return ownedPage(records, listing, query, attribute);
  if (!areFew(records)) {
    const [kind, id] =
      "collection" in records ? [records.collection, undefined] : [records.recorded, records.entityId];
    return programPage({ programId: records.programId, kind }, { listing, query, attribute, id });
  }
  return pageOf(await matchingRecords(records, listing, query), query, attribute);
}

/**
 * A page of one owner's records. Where they are few they all come in the first round of reading, beside the manifest, and are the answer themselves.
 */
async function ownedPage(
  { programId, owned, owner }: OwnedRecords,
  listing: Listing,
  query: PageQuery,
  attribute: string,
): Promise<Page> {
  const list = { programId, kind: owned, owner };
  const [few, manifest] = await Promise.all([fewOwned(list), readManifest(list)]);
  if (!few) return programPage(list, { listing, query, attribute }, manifest);
  return pageOf(few.filter(recordMatcher(listing, query)), query, attribute);
}

function pageOf(matches: StoredRecord[], query: PageQuery, attribute: string): Page {
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
function areFew(records: Exclude<Listing["records"], OwnedRecords>): records is FewRecords {
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
