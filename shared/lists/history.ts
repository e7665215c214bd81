import type { Page, PageQuery } from "./indexed-page.ts";
import type { StoredRecord } from "./kind.ts";
import { listPage, type Records } from "./list-page.ts";

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
      orders: { dateCreated: "createdAt" },
      view: (stored) => view(items.parse(stored)),
    },
    query,
  );
}
