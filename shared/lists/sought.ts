import { type Entry, type ListKind, listAttributes } from "./kind.ts";
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

/** What a page is chosen of, and by what. */
export interface Seeking {
  readonly kind: ListKind;
  /** As the page reads them without a search. */
  readonly parts: Parts;
  readonly spec: PageSpec;
  readonly sought: readonly Sought[];
}

/** All of these must match: each is one of several. */
type Cuts = readonly (readonly Cut[])[];

/** What lies in a span of another order is read as a whole up to `fewEntries`; mostly, at once. */
const [mostlyAll, fewEntries, walkedEntries] = [128, 4_096, 2_048];

/**
 * The page and the exact total of what matches all that is sought. In the order that is sought by,
 * it is a page as any other. In another one, the smallest span is read and sorted; or, if that is
 * much, the page's own order is walked, and the total counted.
 */
export async function searchPage(seeking: Seeking): Promise<EntryPage> {
  const { spec } = seeking;
  const [only, ...more] = toCuts(seeking);
  const single = more.length === 0 && only?.length === 1 ? only[0] : undefined;
  if (single && spec.id === undefined && single.order === spec.order)
    return selectPage(seeking.kind, seeking.parts, { ...spec, within: single.within });
  let all: readonly Entry[] | undefined;
  if (single && spec.id === undefined && Number.isFinite(spec.limit)) {
    const { entries, total } = await readCut(seeking, single, { offset: 0, limit: mostlyAll });
    if (total > fewEntries) return { entries: await walk(seeking), total };
    if (total <= mostlyAll) all = entries;
  }
  const found = (all ?? (await searchAll(seeking))).toSorted(compareEntries(spec.order));
  const ordered = spec.descending ? found.toReversed() : found;
  return { entries: ordered.slice(spec.offset, spec.offset + spec.limit), total: found.length };
}

/** All that match, in no order: read by the smallest of what is sought. */
export async function searchAll(seeking: Seeking): Promise<Entry[]> {
  const { kind, parts, spec } = seeking;
  const cuts = toCuts(seeking);
  const isSought = matchesAll(seeking);
  const everything = { ...spec, offset: 0, limit: Number.POSITIVE_INFINITY };
  if (cuts.length === 0 || spec.id !== undefined) {
    const { entries } = await selectPage(kind, parts, everything);
    return entries.filter(isSought);
  }
  const smallest = cuts.length === 1 ? cuts[0] : await findSmallest(seeking, cuts);
  const read = await Promise.all((smallest ?? []).map((cut) => readCut(seeking, cut, everything)));
  const found = new Map(read.flatMap(({ entries }) => entries).map((entry) => [entry.id, entry]));
  return [...found.values()].filter(isSought);
}

interface Cut {
  readonly order: number;
  readonly within: Within;
}

function toCuts({ kind, sought }: Pick<Seeking, "kind" | "sought">): Cuts {
  const toCut = (span: Span): Cut => {
    const order = listAttributes(kind).indexOf(span.attribute);
    if (order === -1) throw new Error(`The list of ${kind.name} does not know ${span.attribute}.`);
    return { order, within: toWithin(span) };
  };
  return sought.map((spans) => spans.map(toCut));
}

async function readCut(
  { kind, parts, spec }: Seeking,
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

async function findSmallest(seeking: Seeking, all: Cuts): Promise<readonly Cut[]> {
  const none = { offset: 0, limit: 0 };
  const counted = await Promise.all(
    all.map(async (cuts) => {
      const pages = await Promise.all(cuts.map((cut) => readCut(seeking, cut, none)));
      return { cuts, total: pages.reduce((sum, { total }) => sum + total, 0) };
    }),
  );
  return counted.reduce((best, one) => (one.total < best.total ? one : best)).cuts;
}

/** In the page's own order, until the page is full. */
async function walk(seeking: Seeking): Promise<Entry[]> {
  const { kind, parts, spec } = seeking;
  const { offset, limit } = spec;
  const isSought = matchesAll(seeking);
  const found: Entry[] = [];
  for (let read = 0; found.length < offset + limit; read += walkedEntries) {
    const page = await selectPage(kind, parts, { ...spec, offset: read, limit: walkedEntries });
    found.push(...page.entries.filter(isSought));
    if (page.entries.length < walkedEntries) break;
  }
  return found.slice(offset, offset + limit);
}

/** The same of one entry, in whichever copy it is. */
export function matchesAll(seeking: Pick<Seeking, "kind" | "sought">): (entry: Entry) => boolean {
  const all = toCuts(seeking);
  const isIn = ({ id, values }: Entry, { order, within }: Cut) =>
    isWithin(within, { value: values[order] ?? null, id });
  return (entry) => all.every((cuts) => cuts.some((cut) => isIn(entry, cut)));
}
