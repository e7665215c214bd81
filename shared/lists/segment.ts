import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ulidAlphabet, ulidTimeLength } from "../platform/id.ts";
import { declareKey } from "../platform/table/keys.ts";
import {
  type Entry,
  type List,
  type ListKind,
  listAttributes,
  listPrefix,
  sortedAttributes,
  type Value,
} from "./kind.ts";
import type { Order } from "./page-spec.ts";

/**
 * Immutable entries in blocks sorted by creation time. Each order by many values adds a sorted copy
 * per level. Any time span is then a few sorted nodes and two blocks at its ends.
 */
export interface Segment {
  readonly segmentId: string;
  readonly entries: number;
  readonly blocks: number;
  /** Creation time of the first entry under each sparse index, in milliseconds. */
  readonly since: readonly number[];
  /** Creation time of the last entry. */
  readonly until: number;
  /** The sum of the tombstones' weights. */
  readonly tombstones: number;
}

export interface PartName {
  readonly segmentId: string;
  readonly copy: string;
  readonly index: number;
}

const blocksInPartition = 64;

const partKey = (name: string, placeOf: (index: number) => number | string) =>
  declareKey(name, (list: List, { segmentId, copy, index }: PartName) => ({
    pk: `${listPrefix(list)}#${segmentId}#${copy}#${placeOf(index)}`,
    sk: String(index),
  }));
/** A partition has few enough blocks for all of them to be written within a second. */
export const blockKey = partKey("list block", (index) => Math.floor(index / blocksInPartition));
export const indexKey = partKey("sparse index", () => "SPARSE_INDEX");
/** Each order has a partition: a page reads those of all segments beside the manifest. */
export const summaryKey = declareKey("list summary", (list: List, { segmentId, copy }: PartName) => ({
  pk: `${listPrefix(list)}#SUMMARY#${copy}`,
  sk: segmentId,
}));

/** What the summary of an order is named: there is one of each segment that has several indexes. */
export function summaryName(order: number | typeof timeCopy, segmentId: string): PartName {
  return { segmentId, copy: String(order), index: 0 };
}

export const timeCopy = "t";
/** The nodes of a level, each sorted. On level 0, a node is a block: those of the time copy. */
export const sortedCopy = (order: number, level: number): string =>
  level === 0 ? timeCopy : `${order}.${level}`;

/** Entries per block: a few KB when packed. */
export const blockSize = 128;
/** A node of level n has `branching ** n` blocks. */
export const branching = 4;
/** Blocks under one sparse index: a power of `branching`, so that no index cuts a node. */
export const indexedBlocks = 256;
export const countIndexes = (blocks: number): number => Math.ceil(blocks / indexedBlocks);

/** A sorted stretch of blocks, to be added or to be subtracted again. */
export interface Node {
  readonly level: number;
  readonly first: number;
  /** The block after the last. */
  readonly last: number;
  readonly isSubtracted: boolean;
}

/** The level at which all blocks are one node. */
export function highestLevel(blocks: number): number {
  let level = 1;
  while (branching ** level < blocks) level += 1;
  return level;
}

/**
 * A few nodes of at most `level` that add up to the blocks from `first` up to `last`. On each
 * level, both ends move in or out to the nearest border of the next level's nodes.
 */
export function nodesBetween(first: number, last: number, blocks: number, level: number): Node[] {
  const nodes: Node[] = [];
  const add = (at: number, from: number, to: number, isSubtracted: boolean) => {
    for (let block = from; block < Math.min(to, blocks); block += branching ** at) {
      nodes.push({ level: at, first: block, last: Math.min(block + branching ** at, blocks), isSubtracted });
    }
  };
  // Nothing follows the last block, so its end can be rounded up.
  let [low, high] = [first, last === blocks ? roundUp(last, branching ** level) : last];
  let at = 0;
  for (; at < level && high - low >= branching ** (at + 1); at += 1) {
    const size = branching ** (at + 1);
    const [below, above] = [roundUp(low, size) - size, roundUp(low, size)];
    const nextLow = low % size === 0 || above - low <= low - below ? above : below;
    const rest = high % size;
    const nextHigh = rest <= size / 2 ? high - rest : high - rest + size;
    add(at, low, nextLow, false);
    add(at, nextLow, low, true);
    add(at, nextHigh, high, false);
    add(at, high, nextHigh, true);
    [low, high] = [nextLow, nextHigh];
  }
  add(at, low, high, false);
  return nodes;
}

function roundUp(value: number, size: number): number {
  return Math.ceil(value / size) * size;
}

/** Other orders go by the time copy, with the ids and counts of its blocks. */
export function hasSortedCopies(kind: ListKind, order: Order): order is number {
  return typeof order === "number" && order >= kind.filters.length;
}

/** The whole numbers from one up to another. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** Ids are random: more effort would not make them smaller. */
const effort = { level: 3, windowBits: 13 };

export function pack(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value), effort);
}

export function unpack<T>(packed: Uint8Array): T {
  return JSON.parse(inflateRawSync(packed).toString()) as T;
}

/** By columns, which compress well. Times are relative to the id's; weights 0 if all are 1. */
export type Columns = readonly [
  ids: string,
  createdAt: number[],
  weights: number[] | 0,
  ...values: Value[][],
];

/** A block as it is read: entries are made only of the rows that a page takes. */
export class Block {
  readonly length: number;
  readonly #ids: readonly string[];
  readonly #offsets: readonly number[];
  readonly #weights: readonly number[] | 0;
  readonly #columns: readonly Value[][];
  readonly #isTime: readonly boolean[];
  readonly #list: List | undefined;

  /** `list`: whose entries they are, where several lists are read as one. */
  constructor(kind: ListKind, packed: Uint8Array, list?: List) {
    this.#list = list;
    const [ids, offsets, weights, ...columns] = unpack<Columns>(packed);
    this.#ids = ids.split(" ");
    this.length = this.#ids.length;
    this.#offsets = offsets;
    this.#weights = weights;
    this.#columns = columns;
    this.#isTime = timeColumns(kind);
  }

  id(row: number): string {
    return this.#ids[row] ?? "";
  }

  createdAt(row: number): number {
    return ulidTimeMs(this.id(row)) + (this.#offsets[row] ?? 0);
  }

  weight(row: number): number {
    return this.#weights === 0 ? 1 : (this.#weights[row] ?? 1);
  }

  value(row: number, index: number): Value {
    const value = this.#columns[index]?.[row] ?? null;
    return this.#isTime[index] && typeof value === "number" ? value + this.createdAt(row) : value;
  }

  entry(row: number): Entry {
    const values = this.#columns.map((_, index) => this.value(row, index));
    const entry = { id: this.id(row), createdAt: this.createdAt(row), values, weight: this.weight(row) };
    return this.#list ? { ...entry, list: this.#list } : entry;
  }

  entries(): Entry[] {
    return Array.from({ length: this.length }, (_, row) => this.entry(row));
  }
}

export function timeColumns(kind: ListKind, order: Order = "createdAt"): boolean[] {
  return attributesIn(kind, order).map((attribute) => kind.times?.includes(attribute) ?? false);
}

function attributesIn(kind: ListKind, order: Order): readonly string[] {
  return hasSortedCopies(kind, order) ? sortedAttributes(kind) : listAttributes(kind);
}

/** The entry as the blocks of an order have it: equal ones cancel, wherever they are read. */
export function entryIn(kind: ListKind, order: Order, entry: Entry): Entry {
  const { length } = attributesIn(kind, order);
  return entry.values.length > length ? { ...entry, values: entry.values.slice(0, length) } : entry;
}

const ulidLength = 26;

/** The time that a ULID begins with; of anything else, a number that is always the same. */
export function ulidTimeMs(id: string): number {
  const start = id.indexOf("_") + 1;
  if (id.length - start !== ulidLength) return 0;
  let time = 0;
  for (let at = start; at < start + ulidTimeLength; at += 1)
    time = time * 32 + ulidAlphabet.indexOf(id[at] ?? "0");
  return time;
}

/** Sums the weights of equal entries; drops those with the sum 0. */
export function sumEntries(entries: Iterable<Entry>): Entry[] {
  const sums = new Map<string, Entry[]>();
  for (const entry of entries) {
    const ofRecord = sums.get(entry.id);
    if (!ofRecord) {
      sums.set(entry.id, [entry]);
      continue;
    }
    const at = ofRecord.findIndex((other) => isEqual(other, entry));
    const other = ofRecord[at];
    if (other) ofRecord[at] = { ...entry, weight: other.weight + entry.weight };
    else ofRecord.push(entry);
  }
  return [...sums.values()].flatMap((ofRecord) => ofRecord.filter(({ weight }) => weight !== 0));
}

/** `sumEntries` for entries of which a record has several only if one is a tombstone. */
export function cancelTombstones(entries: readonly Entry[]): readonly Entry[] {
  const cancelled = new Set(entries.filter(({ weight }) => weight < 1).map(({ id }) => id));
  if (cancelled.size === 0) return entries;
  const others = entries.filter(({ id }) => !cancelled.has(id));
  return [...others, ...sumEntries(entries.filter(({ id }) => cancelled.has(id)))];
}

function isEqual(left: Entry, right: Entry): boolean {
  return (
    left.createdAt === right.createdAt && left.values.every((value, index) => value === right.values[index])
  );
}
