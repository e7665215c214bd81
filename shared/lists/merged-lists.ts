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
import type { Entry, List, StoredRecord } from "./kind.ts";
import type { Order } from "./page-spec.ts";
import type { PartName } from "./segment.ts";
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
  const read = async (entries: readonly Entry[]) => {
    const byList = Map.groupBy(entries, ({ list = first }) => list);
    const records = new Map<Entry, StoredRecord>();
    await Promise.all(
      [...byList].map(async ([list, ofList]) => {
        for (const [at, record] of (await readRecords(list, ofList)).entries())
          records.set(ofList[at] as Entry, record);
      }),
    );
    return entries.map((entry) => records.get(entry) as StoredRecord);
  };
  return viewPage(listing, query, (search) => {
    const spec = toPageSpec(first, search);
    return whileSegmentsStay(async () => {
      const parts = await readMergedParts(lists, spec.order);
      return readSelected({ kind: first.kind, parts, spec }, search, read);
    });
  });
}

/** An entry says whose it is. */
async function readMergedParts(lists: readonly List[], order: Order): Promise<Parts> {
  const all = await Promise.all(
    lists.map(async (list): Promise<[List, Parts]> => {
      return [list, storedParts(list, order, await readSnapshot(list, order))];
    }),
  );
  const owners = new Map(
    all.flatMap(([list, { segments }]) => segments.map(({ segmentId }) => [segmentId, list] as const)),
  );
  const byList = async <T>(
    names: readonly PartName[],
    read: (list: List, names: readonly PartName[]) => Promise<readonly T[]>,
  ): Promise<T[]> => {
    const found = new Map<PartName, T>();
    const groups = Map.groupBy(names, ({ segmentId }) => owners.get(segmentId) as List);
    await Promise.all(
      [...groups].map(async ([list, ofList]) => {
        for (const [at, part] of (await read(list, ofList)).entries())
          found.set(ofList[at] as PartName, part);
      }),
    );
    return names.map((name) => found.get(name) as T);
  };
  return {
    segments: all.flatMap(([, { segments }]) => segments),
    summaries: new Map(all.flatMap(([, { summaries }]) => [...summaries])),
    recent: async () => {
      const tagged = all.map(async ([list, parts]) =>
        (await parts.recent()).map((entry) => ({ ...entry, list })),
      );
      return (await Promise.all(tagged)).flat();
    },
    indexes: (names) => byList(names, readIndexes),
    blocks: (names) => byList(names, (list, ofList) => readBlocks(list, ofList, true)),
    by: (other) => readMergedParts(lists, other),
  };
}
