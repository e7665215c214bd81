import { BoundedMap } from "../platform/bounded-map.ts";
import type { ListKind, Value } from "./kind.ts";
import { highest, lowest, matchesFilters, type PageSpec, type Position, type Within } from "./page-spec.ts";
import {
  blockSize,
  countIndexes,
  hasSortedCopies,
  highestLevel,
  indexedBlocks,
  type Node,
  nodesBetween,
  type PartName,
  range,
  type Segment,
  sortedCopy,
  timeCopy,
} from "./segment.ts";

/** How many entries each block has, by combination of filter values as JSON. */
type Counts = Readonly<Record<string, readonly number[]>>;

/** Facts about the blocks of one copy: one row for each block, stored by columns. */
export interface SparseIndex {
  /** Where each block begins: nothing in it sorts before. */
  readonly firstValues: readonly Value[];
  readonly firstIds: readonly string[];
  /** Where a block ends, if not where the next begins: nothing in it reaches that position. */
  readonly ends: readonly (readonly [block: number, value: Value, id: string])[];
  readonly plus: Counts;
  /** Tombstones. */
  readonly minus: Counts;
  /** The ids that each block lies between; in the time copy only. */
  readonly ids?: { readonly from: readonly string[]; readonly to: readonly string[] };
}

/** How many matching entries lie between two positions. */
export interface Range extends Within {
  readonly plus: number;
  readonly minus: number;
  /** False at the ends of a time span: the counts are upper bounds, and the blocks must be read. */
  readonly isExact: boolean;
  /** It lies in the time span, and in the asked part of the order in part: it must be read. */
  readonly isCut?: boolean;
}

export interface BlockRange extends Range, PartName {
  /** Whether its entries are to be subtracted, because a larger node includes them. */
  readonly isSubtracted: boolean;
  /** Where the order is a filter: only entries with this value count. */
  readonly only?: Value;
}

/** The sparse indexes of a segment as blocks of a sparse index, by copy: those of one order. */
export type Summary = Readonly<Record<string, SparseIndex>>;

/** Adjacent blocks. Far from the page, only their sum counts. */
export interface BlockGroup extends Range {
  readonly blocks: () => readonly BlockRange[];
}

/** What lies under some sparse indexes. */
export interface Piece {
  /** As far as is known before they are read. */
  readonly ranges: readonly Range[];
  readonly names: readonly PartName[];
  /** The sparse indexes are those of `names`. */
  readonly open: (indexes: readonly SparseIndex[]) => readonly BlockGroup[];
}

type RowBounds = (first: number, last: number, value: Value) => Within;

/** How rows count. */
interface Usage {
  readonly bounds: RowBounds;
  readonly isExact?: boolean;
  readonly isSubtracted?: boolean;
}

const unbounded: RowBounds = () => ({ from: lowest, to: highest });
/** Upper bounds hold for the whole order only: how many lie before a position is unknown. */
const bounded: Usage = { isExact: false, bounds: unbounded };

/** At most so many entries, anywhere. */
export function unknownRange(plus: number, minus: number): Range {
  return { from: lowest, to: highest, plus, minus, isExact: false };
}

/**
 * The pieces of a segment that may be on the page, or that count for what comes before it.
 * Nothing is known of them without a summary.
 */
export function findPieces(kind: ListKind, segment: Segment, spec: PageSpec, summary?: Summary): Piece[] {
  const { since, until, blocks, entries, tombstones } = segment;
  const { order, after, before } = spec;
  const [earliest = 0] = since;
  if (until <= after || earliest >= before) return [];
  const low = earliest <= after ? since.findLastIndex((at) => at <= after) : undefined;
  const high = until >= before ? since.findLastIndex((at) => at < before) : undefined;
  const most = Math.min(entries, indexedBlocks * blockSize);
  const context = { kind, segment, spec, summary, unknown: unknownRange(most, Math.min(most, tombstones)) };
  const [first, end] = [(low ?? 0) * indexedBlocks, (high ?? since.length) * indexedBlocks];
  if (!hasSortedCopies(kind, order)) {
    const last = Math.min(end + indexedBlocks, blocks);
    return toPieces(context, timeCopy, { first, last }, inSpan);
  }
  // What lies under the indexes between those that the span begins and ends in.
  const inside = low === undefined ? 0 : first + indexedBlocks;
  const nodes = nodesBetween(inside, Math.min(end, blocks), blocks, highestLevel(blocks));
  const borders = [...new Set([low, high])].filter((index) => index !== undefined);
  return [
    ...nodes.flatMap((node) => nodePieces(context, order, node)),
    ...borders.map((index) => borderPiece(context, order, index)),
  ];
}

interface SegmentInSpan {
  readonly kind: ListKind;
  readonly segment: Segment;
  readonly spec: PageSpec;
  readonly summary: Summary | undefined;
  /** What a sparse index may have. */
  readonly unknown: Range;
}

type ToGroups = (rows: IndexView, first: number, last: number) => BlockGroup[];

/** Blocks in a copy, cut where another sparse index begins: in a summary, that is another row. */
function toPieces(
  context: SegmentInSpan,
  copy: string,
  { first, last }: Pick<Node, "first" | "last">,
  toGroups: ToGroups,
): Piece[] {
  const { segment, summary, unknown } = context;
  const name = { segmentId: segment.segmentId, copy, index: 0 };
  const known = summary?.[copy] && new IndexView(context, name, summary[copy]);
  return range(Math.floor(first / indexedBlocks), countIndexes(last)).map((index) => {
    const own = { ...name, index };
    const base = index * indexedBlocks;
    const open: Piece["open"] = ([read]) => {
      const rows = new IndexView(context, own, read as SparseIndex);
      return toGroups(rows, Math.max(0, first - base), Math.min(indexedBlocks, last - base));
    };
    return { ranges: known ? toGroups(known, index, index + 1) : [unknown], names: [own], open };
  });
}

/** In other orders: the blocks of the time copy, by the ids and counts that they have. */
const inSpan: ToGroups = (rows, first, last) => rows.groupsInSpan(first, last);

function nodePieces(context: SegmentInSpan, order: number, node: Node): Piece[] {
  const { isSubtracted } = node;
  return toPieces(context, sortedCopy(order, node.level), node, (rows, first, last) =>
    rows.groups(first, last, { isSubtracted, bounds: rows.sortedBounds }),
  );
}

/** In an order with sorted copies: blocks of the time copy that lie in the span in part. */
function borderPiece(context: SegmentInSpan, order: number, index: number): Piece {
  const { segmentId, blocks } = context.segment;
  const level = highestLevel(Math.min(blocks, indexedBlocks));
  const base = index * indexedBlocks;
  const names = range(0, level + 1).map((at) => ({ segmentId, copy: sortedCopy(order, at), index }));
  return {
    ranges: [context.unknown],
    names,
    open: (indexes) => {
      const levels = names.map((name, at) => new IndexView(context, name, indexes[at] as SparseIndex));
      const time = levels[0] as IndexView;
      const { first, last, partial } = time.rowsInSpan(0, Math.min(indexedBlocks, blocks - base));
      const nodes = nodesBetween(base + first, base + last, blocks, level);
      return [
        ...partial.flatMap((row) => time.groups(row, row + 1, bounded)),
        ...nodes.flatMap((node) => {
          const rows = levels[node.level] as IndexView;
          const bounds = rows === time ? unbounded : rows.sortedBounds;
          return rows.groups(node.first - base, node.last - base, {
            bounds,
            isSubtracted: node.isSubtracted,
          });
        }),
      ];
    },
  };
}

/** Rows that are summed up together, from a multiple of it on. */
const groupRows = 64;

/** Counts of matching entries by block: per value if the order is a filter, else under null. */
interface Matching {
  readonly value: Value;
  readonly plus: Column[];
  readonly minus: Column[];
}

type Column = readonly number[];

/** A sparse index, evaluated for one page. */
class IndexView {
  readonly sortedBounds: RowBounds;
  readonly #idBounds: RowBounds;
  readonly #name: PartName;
  readonly #spec: PageSpec;
  readonly #isByFilter: boolean;
  readonly #matching: readonly Matching[];

  constructor({ kind, spec }: SegmentInSpan, name: PartName, index: SparseIndex) {
    this.#name = name;
    this.#spec = spec;
    this.#isByFilter = typeof spec.order === "number" && !hasSortedCopies(kind, spec.order);
    this.#matching = matchingCounts(spec, index, this.#isByFilter);
    this.sortedBounds = sortedBounds(index);
    this.#idBounds = idBounds(index);
  }

  /** Those of the rows in the time span: `first` up to `last` entirely, others in part. */
  rowsInSpan(from: number, to: number): { first: number; last: number; partial: readonly number[] } {
    const { after, before } = this.#spec;
    const compare = (first: number, last: number) => {
      const bounds = this.sortedBounds(first, last, null);
      const [begin, end] = [Number(bounds.from.value), Number(bounds.to.value)];
      if (end <= after || begin >= before) return "outside";
      return begin > after && end < before ? "inside" : "partial";
    };
    if (compare(from, to) === "inside") return { first: from, last: to, partial: [] };
    const [inside, partial]: [number[], number[]] = [[], []];
    for (const row of range(from, to)) {
      const found = compare(row, row + 1);
      if (found !== "outside") (found === "inside" ? inside : partial).push(row);
    }
    return { first: inside[0] ?? 0, last: (inside.at(-1) ?? -1) + 1, partial };
  }

  /** What lies in the span of these rows of the time copy. */
  groupsInSpan(from: number, to: number): BlockGroup[] {
    const { first, last, partial } = this.rowsInSpan(from, to);
    const bounds = this.#spec.order === "createdAt" ? this.sortedBounds : this.#idBounds;
    return [
      ...partial.flatMap((row) => this.groups(row, row + 1, bounded)),
      ...this.groups(first, last, { bounds }),
    ];
  }

  /** The rows from `first` up to `last`, cut at multiples of `groupRows`. */
  groups(first: number, last: number, usage: Usage): BlockGroup[] {
    const groups: BlockGroup[] = [];
    for (let from = first; from < last; ) {
      const to = Math.min(last, (Math.floor(from / groupRows) + 1) * groupRows);
      groups.push(...this.#matching.flatMap((matching) => this.#group(matching, from, to, usage)));
      from = to;
    }
    return groups;
  }

  #group({ value, plus, minus }: Matching, first: number, last: number, usage: Usage): BlockGroup[] {
    const { bounds, isExact = true, isSubtracted = false } = usage;
    const [added, removed] = isSubtracted ? [minus, plus] : [plus, minus];
    const between = (from: number, to: number): Range[] => {
      const counts = { plus: sumRows(added, from, to), minus: sumRows(removed, from, to) };
      const isEmpty = counts.plus === 0 && counts.minus === 0;
      return isEmpty ? [] : [{ ...bounds(from, to, value), ...counts, isExact }];
    };
    const block = (row: number) => {
      const name = { ...this.#name, index: this.#name.index * indexedBlocks + row };
      const only = this.#isByFilter && { only: value };
      return between(row, row + 1).map((one): BlockRange => ({ ...name, ...one, isSubtracted, ...only }));
    };
    return between(first, last).map((group) => ({
      ...group,
      blocks: () => range(first, last).flatMap(block),
    }));
  }
}

function matchingCounts(spec: PageSpec, index: SparseIndex, isByFilter: boolean): Matching[] {
  const found = new Map<Value, Matching>();
  for (const sign of ["plus", "minus"] as const) {
    for (const [combination, column] of Object.entries(index[sign])) {
      const values = combinations.getOrMake(combination, () => JSON.parse(combination));
      if (!matchesFilters(spec, values)) continue;
      const value = isByFilter ? (values[spec.order as number] ?? null) : null;
      const matching = found.get(value) ?? { value, plus: [], minus: [] };
      found.set(value, matching);
      matching[sign].push(column);
    }
  }
  return [...found.values()];
}

/** Cached: there are few combinations, and every page uses them. */
const combinations = new BoundedMap<string, readonly Value[]>(10_000);

function sumRows(columns: readonly Column[], first: number, last: number): number {
  let sum = 0;
  for (const column of columns) for (let row = first; row < last; row += 1) sum += column[row] ?? 0;
  return sum;
}

function sortedBounds({ firstValues, firstIds, ends }: SparseIndex): RowBounds {
  const endOf = new Map(ends.map(([block, value, id]): [number, Position] => [block, { value, id }]));
  const start = (row: number): Position => ({ value: firstValues[row] ?? null, id: firstIds[row] ?? "" });
  return (first, last) => ({ from: start(first), to: endOf.get(last - 1) ?? start(last) });
}

/** The least and the greatest id of rows. */
function idBounds({ ids = { from: [], to: [] } }: SparseIndex): RowBounds {
  return (first, last, value) => {
    let [from, to] = [ids.from[first] ?? "", ""];
    for (let row = first; row < last; row += 1) {
      const [least, greatest] = [ids.from[row] ?? "", ids.to[row] ?? ""];
      if (least < from) from = least;
      if (greatest > to) to = greatest;
    }
    return { from: { value, id: from }, to: { value, id: to } };
  };
}
