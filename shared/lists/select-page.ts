import { afterAll } from "../platform/table/keys.ts";
import type { Entry, ListKind } from "./kind.ts";
import {
  compareEntries,
  comparePositions,
  entryPosition,
  highest,
  isWithin,
  lowest,
  matchesSpec,
  type Order,
  type PageSpec,
  type Position,
  type Within,
} from "./page-spec.ts";
import {
  type Block,
  cancelTombstones,
  entryIn,
  indexedBlocks,
  type PartName,
  range,
  type Segment,
  timeCopy,
} from "./segment.ts";
import {
  type BlockGroup,
  type BlockRange,
  findPieces,
  type Piece,
  type Range,
  type SparseIndex,
  type Summary,
  unknownRange,
} from "./sparse-index.ts";

/** The parts of a list. */
export interface Parts {
  readonly segments: readonly Segment[];
  /** Those of the page's order, by segment. Without one, all sparse indexes are read. */
  readonly summaries: ReadonlyMap<string, Summary>;
  /** Entries that are in no segment yet. */
  recent(): Promise<readonly Entry[]>;
  indexes(names: readonly PartName[]): Promise<readonly SparseIndex[]>;
  blocks(names: readonly PartName[]): Promise<readonly Block[]>;
  /** The same list by another of its orders. */
  by(order: Order): Promise<Parts>;
}

export interface EntryPage {
  readonly entries: Entry[];
  /** The sum of the weights of all matching entries. */
  readonly total: number;
}

/** More recent entries than this may need a third round. */
const foreseenEntries = 10_000;

/**
 * A page and the exact total in two rounds of reads: sparse indexes that may be on the page, with
 * recent changes; then blocks that may be on it, and those with inexact counts.
 */
export async function selectPage(kind: ListKind, parts: Parts, spec: PageSpec): Promise<EntryPage> {
  const { id } = spec;
  // A block with inexact counts has no position in the order: it is always read.
  const mayMatch = ({ from, to, isExact }: Range) =>
    id === undefined || !isExact || (from.id <= id && id < to.id);
  const windowOver = (ranges: readonly Range[]): Window =>
    id === undefined ? findWindow(ranges, spec) : { from: lowest, to: highest };
  const inSpan = <R extends Range>(range: R): R[] => cutToSpan(range, spec);
  const pieces = new Pieces(kind, parts, spec);
  const foreseen = unknownRange(foreseenEntries, foreseenEntries);
  const expected = windowOver([...pieces.groups().filter(mayMatch).flatMap(inSpan), foreseen]);
  const isNear = (window: Window) => (range: Range) =>
    inSpan(range).some((cut) => mayMatch(cut) && isRead(cut, window));
  const [recent] = await Promise.all([parts.recent(), pieces.open(isNear(expected))]);
  const known = recent.map((entry) => entryIn(kind, spec.order, entry));
  const matching = cancelTombstones(known.filter((entry) => matchesSpec(spec, entry)));
  const recentRanges = matching.map((entry) => entryRange(entry, spec));
  const find = () => {
    const groups = pieces.groups().filter(mayMatch).flatMap(inSpan);
    return { groups, rough: windowOver([...groups, ...recentRanges]) };
  };
  let { groups, rough } = find();
  // Only if there were more recent entries than foreseen.
  while (await pieces.open(isNear(rough))) ({ groups, rough } = find());
  // First by groups of blocks, then by the blocks of the groups near the page.
  const far = groups.filter((group) => !isRead(group, rough));
  const near = groups.filter((group) => isRead(group, rough)).flatMap((group) => group.blocks());
  const ranges = near.filter(mayMatch).flatMap(inSpan);
  // Each window contains the page, and so does their overlap.
  const window = overlap(rough, windowOver([...far, ...ranges, ...recentRanges]));
  const tally = new Tally(kind, window, spec);
  for (const range of [...far, ...ranges.filter((range) => !isRead(range, window))]) tally.addUnread(range);
  for (const entry of matching) tally.addEntry(entry);
  const read = [
    ...Map.groupBy(
      ranges.filter((range) => isRead(range, window)),
      partText,
    ).values(),
  ];
  const blocks = await parts.blocks(read.flatMap(([range]) => range ?? []));
  for (const [at, ofBlock] of read.entries()) {
    for (const range of ofBlock) tally.addBlock(blocks[at] as Block, range);
  }
  return tally.page();
}

/** A range as far as it may be in the asked part of the order; none if it is not. */
function cutToSpan<R extends Range>(range: R, { within }: PageSpec): R[] {
  if (!within || !range.isExact) return [range];
  const { from, to } = within;
  if (comparePositions(range.to, from) <= 0 || comparePositions(range.from, to) >= 0) return [];
  if (comparePositions(range.from, from) >= 0 && comparePositions(range.to, to) <= 0) return [range];
  return [{ ...range, from: lowest, to: highest, isExact: false, isCut: true }];
}

/** Blocks of a few megabytes. */
const scannedAtOnce = 512;

/** A page and its total, where no index knows the order or a filter: reads the span as a whole. */
export async function scanPage(parts: Parts, spec: PageSpec): Promise<EntryPage> {
  const { order, descending, offset, limit, where = () => true } = spec;
  const matches = (entry: Entry) => matchesSpec(spec, entry) && where(entry);
  const found = (await parts.recent()).filter(matches);
  const names = parts.segments.flatMap((segment) => blocksWithin(segment, spec));
  for (let at = 0; at < names.length; at += scannedAtOnce)
    for (const block of await parts.blocks(names.slice(at, at + scannedAtOnce)))
      for (const entry of block.entries()) if (matches(entry)) found.push(entry);
  const live = cancelTombstones(found)
    .filter(({ weight }) => weight > 0)
    .toSorted(compareEntries(order));
  const ordered = descending ? live.toReversed() : live;
  return { entries: ordered.slice(offset, offset + limit), total: live.length };
}

/** Those under sparse indexes that may have entries of the span. */
function blocksWithin({ segmentId, blocks, since, until }: Segment, { after, before }: PageSpec): PartName[] {
  return since.flatMap((from, index) =>
    from < before && (since[index + 1] ?? until) > after
      ? range(index * indexedBlocks, Math.min((index + 1) * indexedBlocks, blocks)).map((block) => ({
          segmentId,
          copy: timeCopy,
          index: block,
        }))
      : [],
  );
}

/** What is known of the segments, before and after their sparse indexes are read. */
class Pieces {
  readonly #parts: Parts;
  readonly #pieces: readonly Piece[];
  readonly #opened = new Map<Piece, readonly BlockGroup[]>();

  constructor(kind: ListKind, parts: Parts, spec: PageSpec) {
    this.#parts = parts;
    this.#pieces = parts.segments.flatMap((segment) =>
      findPieces(kind, segment, spec, parts.summaries.get(segment.segmentId)),
    );
  }

  groups(): BlockGroup[] {
    const unread = () => {
      throw new Error("The sparse index of a group near the page is not read.");
    };
    return this.#pieces.flatMap(
      (piece) => this.#opened.get(piece) ?? piece.ranges.map((range) => ({ ...range, blocks: unread })),
    );
  }

  /** Reads what is near and not opened yet. Returns whether there was any. */
  async open(isNear: (range: Range) => boolean): Promise<boolean> {
    const near = this.#pieces.filter((piece) => !this.#opened.has(piece) && piece.ranges.some(isNear));
    if (near.length === 0) return false;
    const names = new Map(near.flatMap((piece) => piece.names).map((name) => [partText(name), name]));
    const read = await this.#parts.indexes([...names.values()]);
    const indexes = new Map([...names.keys()].map((name, at) => [name, read[at] as SparseIndex]));
    for (const piece of near) {
      const own = piece.names.map((name) => indexes.get(partText(name)) as SparseIndex);
      this.#opened.set(piece, piece.open(own));
    }
    return true;
  }
}

/** The positions that a page lies between, as far as is known without reading a block. */
type Window = Within;

/**
 * Bounds the page without reading blocks. A block that ends before a position counts in full; one
 * that has begun counts between minus its tombstones and plus its inserts. So a position has
 * between `fewest` and `most` records before it: `from` is the last one with at most `first`, `to`
 * the first one with at least `last`. Blocks with inexact counts span every position.
 */
function findWindow(ranges: readonly Range[], { descending, offset, limit }: PageSpec): Window {
  const total = ranges.reduce((sum, { plus, minus }) => sum + plus - minus, 0);
  const [first, last] = descending ? [total - offset - limit, total - offset] : [offset, offset + limit];
  // At one position, what ends there comes first: the order of equal ones stays.
  const borders = [
    ...ranges.map(({ to: at, plus, minus }) => ({ at, isEnd: true, plus, minus })),
    ...ranges.map(({ from: at, plus, minus }) => ({ at, isEnd: false, plus, minus })),
  ].toSorted((one, other) => comparePositions(one.at, other.at));
  let [from, to] = [lowest, highest];
  let [fewest, most] = [0, 0];
  for (const { at, isEnd, plus, minus } of borders) {
    if (isEnd) [fewest, most] = [fewest + plus, most - minus];
    if (at !== lowest && at !== highest) {
      if (most <= first) from = at;
      if (to === highest && fewest >= last) to = at;
    }
    if (!isEnd) [fewest, most] = [fewest - minus, most + plus];
  }
  return { from, to };
}

function overlap(one: Window, other: Window): Window {
  return {
    from: comparePositions(one.from, other.from) > 0 ? one.from : other.from,
    to: comparePositions(one.to, other.to) < 0 ? one.to : other.to,
  };
}

/** Whether blocks must be read: they may be on the page, or their counts are not exact. */
function isRead({ from, to, isExact }: Range, window: Window): boolean {
  return !isExact || (comparePositions(from, window.to) < 0 && comparePositions(to, window.from) > 0);
}

/** Counts what lies before and after a window, and collects what is in it. */
class Tally {
  readonly #window: Window;
  readonly #spec: PageSpec;
  readonly #inside: Entry[] = [];
  readonly #kind: ListKind;
  #below = 0;
  #above = 0;

  constructor(kind: ListKind, window: Window, spec: PageSpec) {
    this.#kind = kind;
    this.#window = window;
    this.#spec = spec;
  }

  /** Blocks that are not read lie on one side of the window. */
  addUnread({ to, plus, minus }: Range): void {
    if (comparePositions(to, this.#window.from) <= 0) this.#below += plus - minus;
    else this.#above += plus - minus;
  }

  addEntry(entry: Entry): void {
    if (this.#isInside(entryPosition(entry, this.#spec.order), entry.weight)) this.#inside.push(entry);
  }

  addBlock(block: Block, { isExact, isCut, isSubtracted, only }: BlockRange): void {
    const { order, after, before, id, equal, unequal, within } = this.#spec;
    const isTimed = !isExact && !isCut;
    for (let row = 0; row < block.length; row += 1) {
      if (only !== undefined && block.value(row, order as number) !== only) continue;
      if (id !== undefined && block.id(row) !== id) continue;
      if (isTimed && !(block.createdAt(row) > after && block.createdAt(row) < before)) continue;
      if (!equal.every(([index, value]) => block.value(row, index) === value)) continue;
      if (!unequal.every(([index, value]) => block.value(row, index) !== value)) continue;
      const weight = isSubtracted ? -block.weight(row) : block.weight(row);
      const position = rowPosition(block, row, this.#spec);
      if (within && !isWithin(within, position)) continue;
      if (!this.#isInside(position, weight)) continue;
      this.#inside.push({ ...entryIn(this.#kind, order, block.entry(row)), weight });
    }
  }

  page(): EntryPage {
    const { descending, offset, limit, order } = this.#spec;
    const inside = cancelTombstones(this.#inside);
    const live = inside.filter(({ weight }) => weight > 0).toSorted(compareEntries(order));
    const total = this.#below + this.#above + inside.reduce((sum, { weight }) => sum + weight, 0);
    const first = offset - (descending ? this.#above : this.#below);
    const ordered = descending ? live.toReversed() : live;
    return { entries: ordered.slice(Math.max(0, first), Math.max(0, first + limit)), total };
  }

  #isInside(position: Position, weight: number): boolean {
    if (comparePositions(position, this.#window.from) < 0) this.#below += weight;
    else if (comparePositions(position, this.#window.to) >= 0) this.#above += weight;
    else return true;
    return false;
  }
}

function rowPosition(block: Block, row: number, { order }: PageSpec): Position {
  const id = block.id(row);
  if (order === "id") return { value: null, id };
  return { value: order === "createdAt" ? block.createdAt(row) : block.value(row, order), id };
}

function entryRange(entry: Entry, { order }: PageSpec): Range {
  const from = entryPosition(entry, order);
  const [plus, minus] = entry.weight > 0 ? [entry.weight, 0] : [0, -entry.weight];
  return { from, to: { ...from, id: `${from.id}${afterAll}` }, plus, minus, isExact: true };
}

function partText({ segmentId, copy, index }: PartName): string {
  return `${segmentId} ${copy} ${index}`;
}
