import type { Page, PageQuery } from "./indexed-page.ts";
import type { StoredRecord } from "./kind.ts";
import { listPage, type Records } from "./list-page.ts";

/** What belongs to one record, such as what happened to it: time alone orders it. */
export function listHistory<V, R = StoredRecord>(
  records: Records,
  view: (stored: R) => V,
  query: PageQuery,
): Promise<Page<V>> {
  return listPage({ records, orders: { dateCreated: "createdAt" }, view }, query);
}
