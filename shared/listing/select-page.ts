import { type Ask, matches } from "./ask.ts";
import { type BlockRef, blockGroups, type Extent, type PartName, planRun } from "./block-ref.ts";
import type { Directory } from "./directory.ts";
import {
  afterIds,
  compareEntries,
  comparePlaces,
  type Entry,
  end,
  placeOf,
  settled,
  start,
} from "./entry.ts";
import type { ListedKind } from "./listed-kind.ts";
import type { Run } from "./run.ts";
import { type Window, windowOf } from "./window.ts";

/** What a page is selected from. Each method is called once at most, with all that it is asked for at once. */
export interface Parts {
  readonly runs: readonly Run[];
  /** Entries that are in no run yet. */
  fresh(): Promise<readonly Entry[]>;
  directories(names: readonly PartName[]): Promise<readonly Directory[]>;
  blocks(names: readonly PartName[]): Promise<readonly (readonly Entry[])[]>;
}

/**
 * One page of what matches, and the exact count of all of it, in two rounds of reading: the directories first, beside what is fresh; then the
 * blocks that the page can be in and those whose counts are not exact.
 */
export async function selectPage(
  kind: ListedKind,
  parts: Parts,
  asked: Ask,
): Promise<{ readonly entries: Entry[]; readonly total: number }> {
  const ask: Ask = asked.id === undefined ? asked : { ...asked, order: "id" };
  const plans = parts.runs.map((run) => planRun(kind, run, ask));
  const names = plans.flatMap(({ directories }) => directories);
  const [fresh, directories] = await Promise.all([parts.fresh(), parts.directories(names)]);
  const byName = new Map(names.map((name, index) => [textOf(name), directories[index]]));
  const groups = plans.flatMap((plan) =>
    blockGroups(kind, plan, ask, (name) => {
      const found = byName.get(textOf(name));
      if (!found) throw new Error(`The directory ${textOf(name)} was not asked for.`);
      return found;
    }),
  );
  const { id } = ask;
  const mayHave = ({ from, to }: Extent) => id === undefined || (from.id <= id && id < to.id);
  const meant = groups.filter(mayHave);
  const matching = settled(fresh.filter((entry) => matches(ask, entry)));
  const freshExtents = matching.map((entry) => extentOf(entry, ask));
  const windowIn = (extents: readonly Extent[]) =>
    id === undefined ? windowOf([...extents, ...freshExtents], ask) : { from: start, to: end };
  // First by groups; the blocks of those that the page is nowhere near are not looked at.
  const near = windowIn(meant);
  const [far, close] = [
    meant.filter((group) => !isRead(group, near)),
    meant.filter((group) => isRead(group, near)),
  ];
  const refs = close.flatMap(({ blocks }) => blocks()).filter(mayHave);
  const window = windowIn([...far, ...refs]);
  const entries = settled([
    ...matching,
    ...(await entriesOf(
      refs.filter((ref) => isRead(ref, window)),
      parts,
      ask,
    )),
  ]);
  return cutPage(entries, [...far, ...refs.filter((ref) => !isRead(ref, window))], window, ask);
}

/** Whether the page may have something of it, or its counts are not exact. */
function isRead(extent: Extent & { readonly exact: boolean }, { from, to }: Window): boolean {
  return !extent.exact || (comparePlaces(extent.from, to) < 0 && comparePlaces(extent.to, from) > 0);
}

function cutPage(entries: readonly Entry[], unread: readonly Extent[], { from, to }: Window, ask: Ask) {
  const inside: Entry[] = [];
  let [below, above] = [0, 0];
  for (const ref of unread) {
    if (comparePlaces(ref.to, from) <= 0) below += ref.plus - ref.minus;
    else above += ref.plus - ref.minus;
  }
  for (const entry of entries) {
    const place = placeOf(entry, ask.order);
    if (comparePlaces(place, from) < 0) below += entry.weight;
    else if (comparePlaces(place, to) >= 0) above += entry.weight;
    else inside.push(entry);
  }
  const live = inside.filter(({ weight }) => weight > 0).toSorted(compareEntries(ask.order));
  const total = below + above + inside.reduce((sum, { weight }) => sum + weight, 0);
  const first = ask.offset - (ask.descending ? above : below);
  const ordered = ask.descending ? live.toReversed() : live;
  return { entries: ordered.slice(Math.max(0, first), Math.max(0, first + ask.limit)), total };
}

/** The matching entries of blocks; one that is meant for several values is read once. */
async function entriesOf(refs: readonly BlockRef[], parts: Parts, ask: Ask): Promise<Entry[]> {
  const meant = Map.groupBy(refs, textOf);
  const names = [...meant.values()].flatMap(([ref]) => ref ?? []);
  const blocks = await parts.blocks(names);
  return names.flatMap((name, index) => {
    const wanted = meant.get(textOf(name)) ?? [];
    return (blocks[index] ?? []).filter(
      (entry) =>
        matches(ask, entry) &&
        wanted.some(({ only }) => only === undefined || only === entry.values[ask.order as number]),
    );
  });
}

function extentOf(entry: Entry, { order }: Ask): Extent {
  const place = placeOf(entry, order);
  const [plus, minus] = entry.weight > 0 ? [entry.weight, 0] : [0, -entry.weight];
  return { from: place, to: { ...place, id: `${place.id}${afterIds}` }, plus, minus };
}

function textOf({ runId, list, index }: PartName): string {
  return `${runId} ${list} ${index}`;
}
