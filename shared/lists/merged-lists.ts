import {
  type Listing,
  type Page,
  type PageQuery,
  readRecords,
  readSelected,
  toPageSpec,
  viewPage,
  whileSegmentsStay,
} from "./indexed-page.ts";
import type { List, StoredRecord } from "./kind.ts";
import type { Order } from "./page-spec.ts";
import type { Parts } from "./select-page.ts";
import { readBlocks, readIndexes, readSnapshot, storedParts } from "./store.ts";

/** A page over several lists of one kind, as if they were one. */
export async function listMergedPage<V, R = StoredRecord>(
  lists: readonly List[],
  listing: Listing<R, V>,
  query: PageQuery,
): Promise<Page<V>> {
  const [first] = lists;
  if (!first) return { items: [], total: 0 };
  return viewPage(listing, query, (search) => {
    const spec = toPageSpec(first, search);
    return whileSegmentsStay(async () => {
      const parts = await readMergedParts(lists, spec.order);
      return readSelected({ kind: first.kind, parts, spec }, search, (entries) =>
        readRecords(first, entries),
      );
    });
  });
}

/** An entry says whose it is. */
async function readMergedParts(lists: readonly List[], order: Order): Promise<Parts> {
  const [first] = lists as [List];
  const all = await Promise.all(
    lists.map(async (list): Promise<[List, Parts]> => {
      return [list, storedParts(list, order, await readSnapshot(list, order))];
    }),
  );
  const owners = new Map(
    all.flatMap(([list, { segments }]) => segments.map(({ segmentId }) => [segmentId, list] as const)),
  );
  return {
    segments: all.flatMap(([, { segments }]) => segments),
    summaries: new Map(all.flatMap(([, { summaries }]) => [...summaries])),
    recent: async () => {
      const tagged = all.map(async ([list, parts]) =>
        (await parts.recent()).map((entry) => ({ ...entry, list })),
      );
      return (await Promise.all(tagged)).flat();
    },
    indexes: (names) => readIndexes(first, names, owners),
    blocks: (names) => readBlocks(first, names, owners),
    by: (other) => readMergedParts(lists, other),
  };
}
