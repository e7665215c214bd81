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

/** In both directions, pages of each size are the whole list. */
export async function expectOrder(list: List, orderBy: string, field = orderBy, limits = [4]): Promise<void> {
  for (const sort of ["asc", "desc"]) {
    const whole = ordered(list, field, sort);
    for (const limit of limits) {
      const collected: string[] = [];
      for (let offset = 0; offset < whole.length + limit; offset += limit) {
        const page = await list.page({ orderBy, sort, limit: String(limit), offset: String(offset) });
        expect(page).toMatchObject({ total: whole.length, limit, offset });
        collected.push(...page.items.map((row) => row[list.id]));
      }
      expect(collected, `${orderBy} ${sort}, pages of ${limit}`).toEqual(whole);
    }
  }
}

/** The query leaves these rows, the newest first, and counts them. */
export async function expectOnly(list: List, query: Query, isMeant: (row: Row) => boolean): Promise<void> {
  const expected = ordered(list, list.newestBy, "desc", list.rows.filter(isMeant));
  const { items, total } = await list.page(query);
  const found = { ids: items.map((row) => row[list.id]), total };
  expect(found, JSON.stringify(query)).toEqual({ ids: expected, total: expected.length });
}
