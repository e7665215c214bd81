import {
  type Entry,
  type ListKind,
  listAttributes,
  type SortKeys,
  type StoredRecord,
  sortValue,
} from "./kind.ts";
import { compareEntries, isWithin, type PageSpec, type Span, toWithin, type Within } from "./page-spec.ts";
import { type EntryPage, type Parts, selectPage } from "./select-page.ts";

/** What a record must match: one of these spans. */
export type Sought = readonly Span[];

/** What a range of amounts seeks, if one is given. */
export function soughtAmount(
  { amountFrom: from, amountTo: to }: { amountFrom?: number | undefined; amountTo?: number | undefined },
  attribute = "amountMinor",
): Sought[] {
  return from === undefined && to === undefined ? [] : [[{ attribute, from, to }]];
}

interface Search {
  readonly kind: ListKind;
  /** As the page reads them without a search. */
  readonly parts: Parts;
  readonly spec: PageSpec;
  readonly sought: readonly Sought[];
}

/** What lies in a span of another order is read as a whole up to `fewEntries`; mostly, at once. */
const [mostlyAll, fewEntries, walkedEntries] = [128, 4_096, 2_048];

/**
 * The page and the exact total of what matches all that is sought. In the order that is sought by,
 * it is a page as any other. In another one, the smallest span is read and sorted; or, if that is
 * much, the page's own order is walked, and the total counted.
 */
export async function searchPage(search: Search): Promise<EntryPage> {
  const { spec, sought } = search;
  const [only, ...more] = sought.map((spans) => spans.map((span) => toCut(search.kind, span)));
  const single = more.length === 0 && only?.length === 1 ? only[0] : undefined;
  if (single && spec.id === undefined && single.order === spec.order)
    return selectPage(search.kind, search.parts, { ...spec, within: single.within });
  let all: readonly Entry[] | undefined;
  if (single && spec.id === undefined && Number.isFinite(spec.limit)) {
    const { entries, total } = await readCut(search, single, { offset: 0, limit: mostlyAll });
    if (total > fewEntries) return { entries: await walk(search, single), total };
    if (total <= mostlyAll) all = entries;
  }
  const found = (all ?? (await searchAll(search))).toSorted(compareEntries(spec.order));
  const ordered = spec.descending ? found.toReversed() : found;
  return { entries: ordered.slice(spec.offset, spec.offset + spec.limit), total: found.length };
}

/** All that match, in no order: read by the smallest of what is sought. */
export async function searchAll(search: Search): Promise<Entry[]> {
  const { kind, parts, spec } = search;
  const cuts = search.sought.map((spans) => spans.map((span) => toCut(kind, span)));
  const everything = { ...spec, offset: 0, limit: Number.POSITIVE_INFINITY };
  if (cuts.length === 0 || spec.id !== undefined) {
    const { entries } = await selectPage(kind, parts, everything);
    return entries.filter((entry) => cuts.every((spans) => isInOne(spans, entry)));
  }
  const smallest = cuts.length === 1 ? cuts[0] : await findSmallest(search, cuts);
  const read = await Promise.all((smallest ?? []).map((cut) => readCut(search, cut, everything)));
  const found = new Map(read.flatMap(({ entries }) => entries).map((entry) => [entry.id, entry]));
  return [...found.values()].filter((entry) => cuts.every((spans) => isInOne(spans, entry)));
}

interface Cut {
  readonly order: number;
  readonly within: Within;
}

function toCut(kind: ListKind, span: Span): Cut {
  const order = listAttributes(kind).indexOf(span.attribute);
  if (order === -1) throw new Error(`The list of ${kind.name} does not know ${span.attribute}.`);
  return { order, within: toWithin(span) };
}

async function readCut(
  { kind, parts, spec }: Search,
  { order, within }: Cut,
  { offset, limit }: Pick<PageSpec, "offset" | "limit">,
): Promise<EntryPage> {
  return selectPage(kind, await parts.by(order), {
    ...spec,
    order,
    within,
    descending: false,
    offset,
    limit,
  });
}

async function findSmallest(search: Search, all: readonly (readonly Cut[])[]): Promise<readonly Cut[]> {
  const none = { offset: 0, limit: 0 };
  const counted = await Promise.all(
    all.map(async (cuts) => {
      const pages = await Promise.all(cuts.map((cut) => readCut(search, cut, none)));
      return { cuts, total: pages.reduce((sum, { total }) => sum + total, 0) };
    }),
  );
  return counted.reduce((best, one) => (one.total < best.total ? one : best)).cuts;
}

function isInOne(cuts: readonly Cut[], entry: Entry): boolean {
  return cuts.some(({ order, within }) =>
    isWithin(within, { value: entry.values[order] ?? null, id: entry.id }),
  );
}

/** In the page's own order, until the page is full. */
async function walk({ kind, parts, spec }: Search, cut: Cut): Promise<Entry[]> {
  const { offset, limit } = spec;
  const found: Entry[] = [];
  for (let read = 0; found.length < offset + limit; read += walkedEntries) {
    const page = await selectPage(kind, parts, { ...spec, offset: read, limit: walkedEntries });
    found.push(...page.entries.filter((entry) => isInOne([cut], entry)));
    if (page.entries.length < walkedEntries) break;
  }
  return found.slice(offset, offset + limit);
}

/** The same of one entry, in whichever copy it is. */
export function matchesAll(kind: ListKind, sought: readonly Sought[]): (entry: Entry) => boolean {
  const cuts = sought.map((spans) => spans.map((span) => toCut(kind, span)));
  return (entry) => cuts.every((spans) => isInOne(spans, entry));
}

/** The same of records in memory. */
export function matchesSought(record: StoredRecord, sought: readonly Sought[], sortKeys?: SortKeys): boolean {
  return sought.every((spans) =>
    spans.some((span) =>
      isWithin(toWithin(span), { value: sortValue(record, span.attribute, sortKeys), id: "" }),
    ),
  );
}
