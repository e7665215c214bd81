import type { Key } from "../platform/table/keys.ts";
import { readBatch } from "../platform/table/read-batch.ts";
import type { Ask } from "./ask.ts";
import type { Entry, Order, Value } from "./entry.ts";
import { attributesIn, attributesOf, kinds, type ListOf } from "./listed-kind.ts";
import type { Listing, Page, PageQuery, StoredRecord } from "./listing.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { selectPage } from "./select-page.ts";
import { RunDeletedError, storedParts } from "./stored-parts.ts";

/** What is asked of a list of the whole Program. */
export interface ProgramQuery {
  readonly listing: Pick<Listing, "filters" | "except">;
  readonly query: Omit<PageQuery, "orderBy">;
  /** The attribute that the page is ordered by. */
  readonly attribute: string;
  /** Only the record with this id. */
  readonly id?: string | undefined;
}

/** Reading a page takes moments, and runs that were replaced are kept for minutes. */
const maximumAttempts = 3;

/**
 * A page of all the records of a list, in four rounds of reading: the manifest, unless it has been read already; the directories and fresh changes; blocks; records.
 */
export async function programPage(list: ListOf, asked: ProgramQuery, manifest?: Manifest): Promise<Page> {
  const { entries, total } = await selectStored(list, askOf(list, asked), manifest);
  return { items: await completeRecords(list, entries), total };
}

/** The entries of such a page alone, without their records. */
export function programEntries(list: ListOf, asked: ProgramQuery): ReturnType<typeof selectPage> {
  return selectStored(list, askOf(list, asked));
}

/** The sum of the weights of all entries of a list. */
export async function listTotal(list: ListOf): Promise<number> {
  const query = { sort: "asc", limit: 0, offset: 0 } as const;
  return (await selectStored(list, askOf(list, { listing: { filters: {} }, query, attribute: "entityId" })))
    .total;
}

async function selectStored(list: ListOf, ask: Ask, known?: Manifest): ReturnType<typeof selectPage> {
  let manifest = known ?? (await readManifest(list));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await selectPage(list.kind, storedParts(list, manifest), ask);
    } catch (error) {
      if (!(error instanceof RunDeletedError) || attempt === maximumAttempts) throw error;
      manifest = await readManifest(list);
    }
  }
}

function askOf({ kind }: ListOf, { listing, query, attribute, id }: ProgramQuery): Ask {
  const { filters, except = {} } = listing;
  const indexOf = (name: string): number => {
    const index = attributesOf(kind).indexOf(name);
    if (index === -1) throw new Error(`The list of ${kind} does not know ${name}.`);
    return index;
  };
  const orderOf = (): Order => {
    if (attribute === "entityId") return "id";
    return attribute === "createdAt" ? "createdAt" : indexOf(attribute);
  };
  const pairs = (values: Listing["filters"]) =>
    Object.entries(values).flatMap(([name, value]): [number, Value][] =>
      value === undefined ? [] : [[indexOf(name), value]],
    );
  return {
    order: orderOf(),
    descending: query.sort === "desc",
    offset: query.offset,
    limit: query.limit,
    after: query.after === undefined ? Number.NEGATIVE_INFINITY : query.after * 1000,
    before: query.before === undefined ? Number.POSITIVE_INFINITY : query.before * 1000,
    id,
    wanted: pairs(filters),
    unwanted: pairs(except),
  };
}

/**
 * The page's records with all their attributes. What the list knew of them stays as it was matched, so that no row contradicts the filter or the order
 * that it was found with.
 */
async function completeRecords(list: ListOf, entries: readonly Entry[]): Promise<StoredRecord[]> {
  const keys = entries.map((entry) => keyOf(list, entry));
  const rows = new Map<string, StoredRecord>();
  // While a change is missing that came late, one record may stand in two places.
  const distinct = [...new Map(keys.map((key) => [textOf(key), key])).values()];
  for (const row of await readBatch(distinct)) {
    rows.set(textOf(row as unknown as Key), kinds[list.kind].recordOf?.(list, row) ?? row);
  }
  return entries.map((entry, index) => ({
    ...rows.get(textOf(keys[index] as Key)),
    ...attributesIn(list.kind, entry),
  }));
}

function keyOf(list: ListOf, entry: Entry): Key {
  return kinds[list.kind].keyOf(list, entry.id, attributesIn(list.kind, entry));
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
