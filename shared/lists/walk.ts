import { selectStored, toPageSpec, withParts } from "./indexed-page.ts";
import type { Entry, List, Value } from "./kind.ts";
import type { Parts } from "./select-page.ts";
import { type Sought, searchAll } from "./sought.ts";

/** The ids of all records of a list that match what is sought, in no order. */
export async function listIds(list: List, sought: readonly Sought[] = []): Promise<string[]> {
  const query = { sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 } as const;
  const spec = toPageSpec(list, { attribute: "entityId", query });
  const search = (parts: Parts) => searchAll({ kind: list.kind, parts, spec, sought });
  return (await withParts(list, spec, search)).map(({ id }) => id);
}

/** Where a walk along a list is: after this entry, and so many of its millisecond. */
export interface WalkPlace {
  readonly createdAt: number;
  readonly id: string;
  readonly ofMoment: number;
}

interface Walk {
  readonly excluded?: Readonly<Record<string, Value>> | undefined;
  /** Milliseconds: the first is included, the last is not. */
  readonly from?: number;
  readonly until: number;
  readonly after?: WalkPlace | undefined;
  readonly limit: number;
}

/**
 * The next entries in the order of their creation. A walk has each entry once, also if others are
 * added behind it meanwhile. `place` is undefined at its end;
 * `left` is how many there were before it, with those of its place.
 */
export async function walkList(
  list: List,
  { excluded, from = Number.NEGATIVE_INFINITY, until, after, limit }: Walk,
): Promise<{ readonly entries: Entry[]; readonly place: WalkPlace | undefined; readonly left: number }> {
  const query = { sort: "asc", limit, offset: after?.ofMoment ?? 0 } as const;
  const spec = {
    ...toPageSpec(list, { excluded, attribute: "createdAt", query }),
    after: (after?.createdAt ?? from) - 1,
    before: until,
  };
  const { entries, total } = await selectStored(list, spec);
  let place = after;
  const next: Entry[] = [];
  for (const entry of entries) {
    const { createdAt, id } = entry;
    const isOfMoment = createdAt === place?.createdAt;
    // One that was added before it has moved it; one that is written again is there twice.
    if (isOfMoment && place && id <= place.id) continue;
    place = { createdAt, id, ofMoment: isOfMoment && place ? place.ofMoment + 1 : 1 };
    next.push(entry);
  }
  const isEnd = entries.length < limit;
  return { entries: next, place: isEnd ? undefined : place, left: total };
}
