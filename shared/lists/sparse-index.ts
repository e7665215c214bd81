import { BoundedMap } from "../platform/bounded-map.ts";
import type { ListKind, Value } from "./entry.ts";
import { highest, lowest, matchesFilters, type PageSpec, type Position } from "./page-spec.ts";
import {
  hasSortedCopies,
  highestIndexedLevel,
  indexedBlocks,
  type Node,
  nodeIndexes,
  nodesBetween,
  type PartName,
  type SegmentPlan,
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

interface Bounds {
  readonly from: Position;
  /** Excluded. */
  readonly to: Position;
}

/** How many matching entries lie between two positions. */
export interface Range extends Bounds {
  readonly plus: number;
  readonly minus: number;
  /** False at the ends of a time span: the counts are upper bounds, and the blocks must be read. */
  readonly isExact: boolean;
}

export interface BlockRange extends Range, PartName {
  /** Whether its entries are to be subtracted, because a larger node includes them. */
  readonly isSubtracted: boolean;
  /** Where the order is a filter: only entries with this value count. */
  readonly only?: Value;
}

/** Adjacent blocks. Far from the page, only their sum counts. */
interface BlockGroup extends Range {
  readonly blocks: () => readonly BlockRange[];
}

interface Usage {
  readonly isSubtracted: boolean;
  readonly isExact: boolean;
  readonly bounds: RowBounds;
}

type RowBounds = (first: number, last: number, value: Value) => Bounds;

const unbounded: RowBounds = () => ({ from: lowest, to: highest });

/** The blocks of a segment that may be on the page, or that count for what comes before it. */
export function findBlocks(
  kind: ListKind,
  { segment, nodes, borders }: SegmentPlan,
  spec: PageSpec,
  indexNamed: (name: PartName) => SparseIndex,
): BlockGroup[] {
  const { segmentId, blocks } = segment;
  const { order } = spec;
  const groups: BlockGroup[] = [];
  const open = (copy: string, index: number) => {
    const name = { segmentId, copy, index };
    return new IndexView(kind, name, indexNamed(name), spec);
  };
  const addNode = (node: Node) => {
    for (const index of nodeIndexes(node)) {
      const rows = open(sortedCopy(order as number, node.level), index);
      const base = index * indexedBlocks;
      const [first, last] = [Math.max(base, node.first), Math.min(base + indexedBlocks, node.last)];
      const usage = { isSubtracted: node.isSubtracted, isExact: true, bounds: rows.sortedBounds };
      groups.push(...rows.groups(first - base, last - base, usage));
    }
  };
  nodes.forEach(addNode);
  for (const border of borders) {
    const rows = open(timeCopy, border);
    const isSorted = hasSortedCopies(kind, order);
    const { first, last, partial } = rows.rowsInSpan(spec);
    const bounds = order === "createdAt" ? rows.sortedBounds : isSorted ? unbounded : rows.idBounds;
    // Upper bounds hold for the whole order only: how many lie before a position is unknown.
    const bounded = { isSubtracted: false, isExact: false, bounds: unbounded };
    for (const row of partial) groups.push(...rows.groups(row, row + 1, bounded));
    if (!isSorted) {
      groups.push(...rows.groups(first, last, { isSubtracted: false, isExact: true, bounds }));
      continue;
    }
    const base = border * indexedBlocks;
    for (const node of nodesBetween(base + first, base + last, blocks, highestIndexedLevel(segment))) {
      const { isSubtracted } = node;
      if (node.level > 0) addNode(node);
      else
        groups.push(
          ...rows.groups(node.first - base, node.last - base, { isSubtracted, isExact: true, bounds }),
        );
    }
  }
  return groups;
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
  readonly #name: PartName;
  readonly #length: number;
  readonly #isByFilter: boolean;
  readonly #matching: readonly Matching[];

  constructor(kind: ListKind, name: PartName, index: SparseIndex, spec: PageSpec) {
    this.#name = name;
    this.#length = index.firstValues.length;
    this.#isByFilter = typeof spec.order === "number" && !hasSortedCopies(kind, spec.order);
    this.#matching = matchingCounts(spec, index, this.#isByFilter);
    this.sortedBounds = sortedBounds(index);
    this.idBounds = idBounds(index);
  }

  /** The rows in the time span: `first` up to `last` entirely, others in part. */
  rowsInSpan({ after, before }: PageSpec): { first: number; last: number; partial: readonly number[] } {
    const compare = (first: number, last: number) => {
      const { from, to } = this.sortedBounds(first, last, null);
      const [begin, end] = [Number(from.value), Number(to.value)];
      if (end <= after || begin >= before) return "outside";
      return begin > after && end < before ? "inside" : "partial";
    };
    if (compare(0, this.#length) === "inside") return { first: 0, last: this.#length, partial: [] };
    const [inside, partial]: [number[], number[]] = [[], []];
    for (let row = 0; row < this.#length; row += 1) {
      const found = compare(row, row + 1);
      if (found !== "outside") (found === "inside" ? inside : partial).push(row);
    }
    return { first: inside[0] ?? 0, last: (inside.at(-1) ?? -1) + 1, partial };
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
