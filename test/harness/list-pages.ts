import { expect } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: Rows of any list.
export type Row = Readonly<Record<string, any>>;
export type Query = Readonly<Record<string, string>>;

/** A list of which a test has made all rows. */
export interface List {
  readonly page: (query?: Query) => Promise<{ items: Row[]; total: number }>;
  readonly rows: readonly Row[];
  /** The field of its ids, and the one by which the newest is first. */
  readonly id: string;
  readonly newestBy: string;
  /** Ids before those of the rows, in every order. */
  readonly head?: readonly string[];
}

/** The order by definition: by value, then by id, both in the same direction. */
export function ordered({ rows, id, head = [] }: List, by: string, sort = "desc", of = rows): string[] {
  const ascending = of.toSorted((left, right) => {
    const [one, other] = [left[by], right[by]];
    return one === other ? (left[id] < right[id] ? -1 : 1) : one < other ? -1 : 1;
  });
  return [...head, ...(sort === "asc" ? ascending : ascending.toReversed()).map((row) => row[id])];
}

/** The query leaves these rows, the newest first, and counts them. */
export async function expectOnly(list: List, query: Query, isMeant: (row: Row) => boolean): Promise<void> {
  const expected = ordered(list, list.newestBy, "desc", list.rows.filter(isMeant));
  const { items, total } = await list.page(query);
  const found = { ids: items.map((row) => row[list.id]), total };
  expect(found, JSON.stringify(query)).toEqual({ ids: expected, total: expected.length });
}
