import { BoundedMap } from "../platform/bounded-map.ts";
import type { ListKind, Value } from "./kind.ts";
import { highest, lowest, matchesFilters, type PageSpec, type Position, type Within } from "./page-spec.ts";
import {
  blockSize,
  hasSortedCopies,
  highestIndexedLevel,
  highestLevel,
  indexedBlocks,
  type Node,
  nodeIndexes,
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
  readonly open: (indexNamed: (name: PartName) => SparseIndex) => readonly BlockGroup[];
}

interface Usage {
  readonly isSubtracted: boolean;
  readonly isExact: boolean;
  readonly bounds: RowBounds;
}

type RowBounds = (first: number, last: number, value: Value) => Within;

const unbounded: RowBounds = () => ({ from: lowest, to: highest });
/** Upper bounds hold for the whole order only: how many lie before a position is unknown. */
const bounded: Usage = { isSubtracted: false, isExact: false, bounds: unbounded };

/** At most so many entries, anywhere. */
export function unknownRange(plus: number, minus: number): Range {
  return { from: lowest, to: highest, plus, minus, isExact: false };
}

/**
 * The pieces of a segment that may be on the page, or that count for what comes before it.
 * Nothing is known of them without a summary.
 */
export function findPieces(kind: ListKind, segment: Segment, spec: PageSpec, summary?: Summary): Piece[] {
  const { since, until, blocks, entries, tombstones = entries } = segment;
  const { order, after, before } = spec;
  const [earliest = 0] = since;
  if (until <= after || earliest >= before) return [];
  const low = earliest <= after ? since.findLastIndex((at) => at <= after) : undefined;
  const high = until >= before ? since.findLastIndex((at) => at < before) : undefined;
  const most = Math.min(entries, indexedBlocks * blockSize);
  const context = { kind, segment, spec, summary, unknown: unknownRange(most, Math.min(most, tombstones)) };
  if (!hasSortedCopies(kind, order)) return timePieces(context, low ?? 0, (high ?? since.length - 1) + 1);
  const nodes = nodesBetween(
    (low === undefined ? 0 : low + 1) * indexedBlocks,
    Math.min((high ?? since.length) * indexedBlocks, blocks),
    blocks,
    highestLevel(blocks),
  );
  const borders = [...new Set([low, high])].filter((index) => index !== undefined);
  return [
    ...nodes.flatMap((node) => nodePieces(context, node)),
    ...borders.map((index) => borderPiece(context, index)),
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

function toName({ segment }: SegmentInSpan, copy: string, index: number): PartName {
  return { segmentId: segment.segmentId, copy, index };
}

/** A sorted node, cut where another sparse index begins. */
function nodePieces(context: SegmentInSpan, node: Node): Piece[] {
  const { kind, spec, summary, unknown } = context;
  const copy = sortedCopy(spec.order as number, node.level);
  const known = summary?.[copy];
  const view = known && new IndexView(kind, toName(context, copy, 0), known, spec);
  const usage = { isSubtracted: node.isSubtracted, isExact: true };
  return nodeIndexes(node).map((index) => {
    const name = toName(context, copy, index);
    const ranges = view ? view.groups(index, index + 1, { ...usage, bounds: view.sortedBounds }) : [unknown];
    return { ranges, names: [name], open: (indexNamed) => openNode(context, node, name, indexNamed) };
  });
}

function openNode(
  { kind, spec }: SegmentInSpan,
  { first, last, isSubtracted }: Pick<Node, "first" | "last" | "isSubtracted">,
  name: PartName,
  indexNamed: (name: PartName) => SparseIndex,
): BlockGroup[] {
  const rows = new IndexView(kind, name, indexNamed(name), spec);
  const base = name.index * indexedBlocks;
  return rows.groups(Math.max(base, first) - base, Math.min(base + indexedBlocks, last) - base, {
    ...{ isSubtracted, isExact: true, bounds: rows.sortedBounds },
  });
}

/** In an order with sorted copies: blocks of the time copy that lie in the span in part. */
function borderPiece(context: SegmentInSpan, index: number): Piece {
  const { kind, segment, spec, unknown } = context;
  const order = spec.order as number;
  const level = highestIndexedLevel(segment);
  const time = toName(context, timeCopy, index);
  const sorted = range(1, level + 1).map((at) => toName(context, sortedCopy(order, at), index));
  return {
    ranges: [unknown],
    names: [time, ...sorted],
    open: (indexNamed) => {
      const rows = new IndexView(kind, time, indexNamed(time), spec);
      const { first, last, partial } = rows.rowsInSpan(0, rows.length);
      const base = index * indexedBlocks;
      const nodes = nodesBetween(base + first, base + last, segment.blocks, level);
      return [
        ...partial.flatMap((row) => rows.groups(row, row + 1, bounded)),
        ...nodes.flatMap((node) => {
          const copy = node.level === 0 ? timeCopy : sortedCopy(order, node.level);
          if (node.level > 0) return openNode(context, node, toName(context, copy, index), indexNamed);
          const usage = { isSubtracted: node.isSubtracted, isExact: true, bounds: unbounded };
          return rows.groups(node.first - base, node.last - base, usage);
        }),
      ];
    },
  };
}

/** In other orders: the blocks of the time copy, by the ids and counts that they have. */
function timePieces(context: SegmentInSpan, from: number, to: number): Piece[] {
  const { kind, spec, summary, unknown } = context;
  const view =
    summary?.[timeCopy] && new IndexView(kind, toName(context, timeCopy, 0), summary[timeCopy], spec);
  return range(from, to).map((index) => {
    const name = toName(context, timeCopy, index);
    const open: Piece["open"] = (indexNamed) => {
      const rows = new IndexView(kind, name, indexNamed(name), spec);
      return rows.groupsInSpan(0, rows.length);
    };
    return { ranges: view ? view.groupsInSpan(index, index + 1) : [unknown], names: [name], open };
  });
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
  readonly idBounds: RowBounds;
  readonly length: number;
  readonly #name: PartName;
  readonly #spec: PageSpec;
  readonly #isByFilter: boolean;
  readonly #matching: readonly Matching[];

  constructor(kind: ListKind, name: PartName, index: SparseIndex, spec: PageSpec) {
    this.length = index.firstValues.length;
    this.#name = name;
    this.#spec = spec;
    this.#isByFilter = typeof spec.order === "number" && !hasSortedCopies(kind, spec.order);
    this.#matching = matchingCounts(spec, index, this.#isByFilter);
    this.sortedBounds = sortedBounds(index);
    this.idBounds = idBounds(index);
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
    const bounds = this.#spec.order === "createdAt" ? this.sortedBounds : this.idBounds;
    return [
      ...partial.flatMap((row) => this.groups(row, row + 1, bounded)),
      ...this.groups(first, last, { isSubtracted: false, isExact: true, bounds }),
    ];
  }

  /** The rows from `first` up to `last`, cut where sums are kept. */
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
    const { isSubtracted, isExact, bounds } = usage;
    const [added, removed] = isSubtracted ? [minus, plus] : [plus, minus];
    const range = (from: number, to: number): Range[] => {
      const counts = { plus: sumRows(added, from, to), minus: sumRows(removed, from, to) };
      const isEmpty = counts.plus === 0 && counts.minus === 0;
      return isEmpty ? [] : [{ ...bounds(from, to, value), ...counts, isExact }];
    };
    const block = (row: number) => {
      const name = { ...this.#name, index: this.#name.index * indexedBlocks + row };
      const only = this.#isByFilter && { only: value };
      return range(row, row + 1).map((one): BlockRange => ({ ...name, ...one, isSubtracted, ...only }));
    };
    const blocks = () => Array.from({ length: last - first }, (_, at) => first + at).flatMap(block);
    return range(first, last).map((group) => ({ ...group, blocks }));
  }
}

function matchingCounts(spec: PageSpec, index: SparseIndex, isByFilter: boolean): Matching[] {
  const found = new Map<Value, Matching>();
  for (const sign of ["plus", "minus"] as const) {
    for (const [combination, column] of Object.entries(index[sign])) {
      const values = parseCombination(combination);
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

function parseCombination(combination: string): readonly Value[] {
  return combinations.getOrMake(combination, () => JSON.parse(combination));
}

function sumRows(columns: readonly Column[], first: number, last: number): number {
  let sum = 0;
  for (const column of columns) {
    const sums = prefixSums(column);
    sum += (sums[last] ?? 0) - (sums[first] ?? 0);
  }
  return sum;
}

const knownSums = new WeakMap<Column, Float64Array>();

/** Cached with the index, which is read repeatedly. */
function prefixSums(column: Column): Float64Array {
  const known = knownSums.get(column);
  if (known) return known;
  const sums = new Float64Array(column.length + 1);
  for (const [row, count] of column.entries()) sums[row + 1] = (sums[row] ?? 0) + count;
  knownSums.set(column, sums);
  return sums;
}

function sortedBounds({ firstValues, firstIds, ends }: SparseIndex): RowBounds {
  const endOf = new Map(ends.map(([block, value, id]): [number, Position] => [block, { value, id }]));
  const start = (row: number): Position => ({ value: firstValues[row] ?? null, id: firstIds[row] ?? "" });
  return (first, last) => ({ from: start(first), to: endOf.get(last - 1) ?? start(last) });
}

function idBounds(index: SparseIndex): RowBounds {
  return (first, last, value) => {
    const { from, to } = outermostIds(index, first, last);
    return { from: { value, id: from }, to: { value, id: to } };
  };
}

interface IdBounds {
  readonly from: string;
  readonly to: string;
}
const knownIds = new WeakMap<SparseIndex, Map<number, IdBounds>>();

/** The least and the greatest id of rows, kept for whole groups. */
function outermostIds(index: SparseIndex, first: number, last: number): IdBounds {
  const known = knownIds.get(index) ?? new Map<number, IdBounds>();
  knownIds.set(index, known);
  const isGroup = first % groupRows === 0 && last === first + groupRows;
  const found = isGroup ? known.get(first) : undefined;
  if (found) return found;
  const { from: froms, to: tos } = index.ids ?? { from: [], to: [] };
  let [from, to] = [froms[first] ?? "", ""];
  for (let row = first; row < last; row += 1) {
    from = (froms[row] ?? "") < from ? (froms[row] ?? "") : from;
    to = (tos[row] ?? "") > to ? (tos[row] ?? "") : to;
  }
  if (isGroup) known.set(first, { from, to });
  return { from, to };
}
