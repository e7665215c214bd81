import { type Ask, matches } from "./ask.ts";
import type { Block } from "./block.ts";
import { type BlockRef, blockGroups, type Extent, type Inside } from "./block-ref.ts";
import type { Directory } from "./directory.ts";
import {
  afterIds,
  compareEntries,
  comparePlaces,
  type Entry,
  end,
  type Place,
  placeOf,
  settled,
  start,
  type Value,
} from "./entry.ts";
import type { ListedKind } from "./listed-kind.ts";
import type { Run } from "./run.ts";
import { type PartName, planRun } from "./run-plan.ts";
import { type Window, windowOf } from "./window.ts";

/** What a page is selected from. Each method is called once at most, with all that it is asked for at once. */
export interface Parts {
  readonly runs: readonly Run[];
  /** Entries that are in no run yet. */
  fresh(): Promise<readonly Entry[]>;
  directories(names: readonly PartName[]): Promise<readonly Directory[]>;
  blocks(names: readonly PartName[]): Promise<readonly Block[]>;
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
  // Blocks that lie partly in the span of time have no place in the order: they are read.
  const mayHave = ({ from, to, isInside }: Extent & Inside) =>
    id === undefined || !isInside || (from.id <= id && id < to.id);
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
  // What is far from the one may not come into the other: both surely have the page.
  const window = overlap(near, windowIn([...far, ...refs]));
  const tally = new Tally(window, ask);
  for (const extent of [...far, ...refs.filter((ref) => !isRead(ref, window))]) tally.addUnread(extent);
  for (const entry of matching) tally.addEntry(entry);
  const read = Map.groupBy(
    refs.filter((ref) => isRead(ref, window)),
    textOf,
  );
  const named = [...read.values()].flatMap(([ref]) => ref ?? []);
  const blocks = await parts.blocks(named);
  for (const [index, refsOfBlock] of [...read.values()].entries()) {
    for (const ref of refsOfBlock) tally.addBlock(blocks[index] as Block, ref);
  }
  return tally.page();
}

function overlap(one: Window, other: Window): Window {
  return {
    from: comparePlaces(one.from, other.from) > 0 ? one.from : other.from,
    to: comparePlaces(one.to, other.to) < 0 ? one.to : other.to,
  };
}

/** Whether the page may have something of it, or its counts are not exact. */
function isRead(extent: Extent & Inside, { from, to }: Window): boolean {
  return !extent.isInside || (comparePlaces(extent.from, to) < 0 && comparePlaces(extent.to, from) > 0);
}

/** Counts what comes before a window and after it, and keeps what lies inside. */
class Tally {
  readonly #window: Window;
  readonly #ask: Ask;
  readonly #inside: Entry[] = [];
  #below = 0;
  #above = 0;

  constructor(window: Window, ask: Ask) {
    this.#window = window;
    this.#ask = ask;
  }

  /** All of what is not read lies on one side of the window. */
  addUnread({ to, plus, minus }: Extent): void {
    if (comparePlaces(to, this.#window.from) <= 0) this.#below += plus - minus;
    else this.#above += plus - minus;
  }

  addEntry(entry: Entry): void {
    if (this.#isInside(placeOf(entry, this.#ask.order), entry.weight)) this.#inside.push(entry);
  }

  /** The entries of a block that match; a block may be added as far as it lies in the span, and taken away whole. */
  addBlock(block: Block, { isInside, isTaken, only }: BlockRef): void {
    const ask = this.#ask;
    const { order, after, before, id } = ask;
    const sign = isTaken ? -1 : 1;
    for (let row = 0; row < block.length; row += 1) {
      if (only !== undefined && block.value(row, order as number) !== only) continue;
      if (id !== undefined && block.id(row) !== id) continue;
      if (!isInside && !(block.createdAt(row) > after && block.createdAt(row) < before)) continue;
      if (!fitsIn(block, row, ask)) continue;
      const weight = sign * block.weight(row);
      const place = { value: valueIn(block, row, ask), id: block.id(row) };
      if (this.#isInside(place, weight)) this.#inside.push({ ...block.entry(row), weight });
    }
  }

  page(): { readonly entries: Entry[]; readonly total: number } {
    const { descending, offset, limit, order } = this.#ask;
    const inside = settled(this.#inside);
    const live = inside.filter(({ weight }) => weight > 0).toSorted(compareEntries(order));
    const total = this.#below + this.#above + inside.reduce((sum, { weight }) => sum + weight, 0);
    const first = offset - (descending ? this.#above : this.#below);
    const ordered = descending ? live.toReversed() : live;
    return { entries: ordered.slice(Math.max(0, first), Math.max(0, first + limit)), total };
  }

  #isInside(place: Place, weight: number): boolean {
    if (comparePlaces(place, this.#window.from) < 0) this.#below += weight;
    else if (comparePlaces(place, this.#window.to) >= 0) this.#above += weight;
    else return true;
    return false;
  }
}

function fitsIn(block: Block, row: number, { wanted, unwanted }: Ask): boolean {
  return (
    wanted.every(([index, value]) => block.value(row, index) === value) &&
    unwanted.every(([index, value]) => block.value(row, index) !== value)
  );
}

function valueIn(block: Block, row: number, { order }: Ask): Value {
  if (order === "id") return null;
  return order === "createdAt" ? block.createdAt(row) : block.value(row, order);
}

function extentOf(entry: Entry, { order }: Ask): Extent {
  const place = placeOf(entry, order);
  const [plus, minus] = entry.weight > 0 ? [entry.weight, 0] : [0, -entry.weight];
  return { from: place, to: { ...place, id: `${place.id}${afterIds}` }, plus, minus };
}

function textOf({ runId, list, index }: PartName): string {
  return `${runId} ${list} ${index}`;
}
