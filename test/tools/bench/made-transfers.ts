import type { Entry, Value } from "../../../shared/lists/kind.ts";
import { segmentsToMerge } from "../../../shared/lists/merges.ts";
import type { Order, StoredPosition } from "../../../shared/lists/page-spec.ts";
import {
  blockSize,
  countIndexes,
  indexedBlocks,
  type PartName,
  pack,
  range,
  type Segment,
  timeCopy,
} from "../../../shared/lists/segment.ts";
import { beginSegment, type CopyPlan, packBlock, planCopies } from "../../../shared/lists/segment-writer.ts";
import type { SparseIndex } from "../../../shared/lists/sparse-index.ts";
import {
  buildIndex,
  rowOfBlock,
  rowOfIndex,
  type SparseRow,
  summarize,
} from "../../../shared/lists/sparse-rows.ts";
import { newChangeId, ulidAlphabet } from "../../../shared/platform/id.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";

const kind = transferList;
const statuses = [1, 1, 1, 2];
const amountOrder = kind.filters.length;
/** A prime, so that the amounts of so many transfers in a row all differ. */
const amounts = 25_013;
const stepMs = 40;
const indexedEntries = indexedBlocks * blockSize;
/** Sorted nodes that are kept. */
const mostNodes = 24;

interface MadeSegment extends Segment {
  /** Of which transfer it begins. */
  readonly from: number;
}

/** Of a node: its copy, its first block, and its transfers as the copy sorts them. */
interface SortedNode {
  readonly name: string;
  readonly firstBlock: number;
  readonly rows: Int32Array;
}

/**
 * A Wallet's transfers, each computed from its number: any part of a list of millions is made when
 * it is read, with the bytes that compactions would have written.
 */
export class MadeTransfers {
  readonly segments: readonly MadeSegment[];
  readonly length: number;
  readonly #startedAtMs: number;
  #nodes: SortedNode[] = [];

  /** `batch`: how many changes each compaction takes. The last transfer is as old as now. */
  constructor(length: number, batch: number) {
    this.length = length;
    this.#startedAtMs = Date.now() - length * stepMs;
    this.segments = plan(length, batch).map(({ from, entries }) => this.#segment(from, entries));
  }

  rows(): Int32Array {
    return Int32Array.from({ length: this.length }, (_, row) => row);
  }

  /** None has changed. */
  summed(rows: Int32Array): Int32Array {
    return rows;
  }

  /** All of them, or a stretch. Ids are in the order of time. */
  sorted(rows: Int32Array, order: Order): Int32Array {
    return order === amountOrder ? sortByAmount(rows[0] ?? 0, rows.length) : rows;
  }

  at(row: number): Entry {
    const createdAt = this.createdAt(row);
    return { id: `trf_${ulid(createdAt, row)}`, createdAt, values: valuesOf(row), weight: 1 };
  }

  createdAt(row: number): number {
    return this.#startedAtMs + row * stepMs;
  }

  value(row: number, index: number): Value {
    return valuesOf(row)[index] ?? null;
  }

  block(name: PartName): Uint8Array {
    const { segment, plan } = this.#find(name);
    return packBlock(kind, this.#entries(segment, plan, name.index), plan.order);
  }

  index({ index, ...name }: PartName): Uint8Array {
    const { segment, plan } = this.#find({ index, ...name });
    const first = index * indexedBlocks;
    const rows = range(first, Math.min(first + indexedBlocks, segment.blocks)).map((block) =>
      this.#rowOfBlock(segment, plan, block),
    );
    return pack(this.#toIndex(segment, plan, first, rows));
  }

  summary({ segmentId, copy }: PartName): Uint8Array {
    const segment = this.#segmentOf(segmentId);
    const order = copy === timeCopy ? "createdAt" : Number(copy);
    const summary: Record<string, SparseIndex> = {};
    for (const plan of planCopies(kind, segment.blocks)) {
      if (plan.order !== order || plan.nodeBlocks < indexedBlocks) continue;
      const rows = range(0, countIndexes(segment.blocks)).map((index) =>
        this.#rowOfIndex(segment, plan, index),
      );
      summary[plan.copy] = summarize(rows, plan.nodeBlocks / indexedBlocks);
    }
    return pack(summary);
  }

  #segment(from: number, entries: number): MadeSegment {
    const { segment } = beginSegment(newChangeId());
    const blocks = Math.ceil(entries / blockSize);
    const since = range(0, countIndexes(blocks)).map((index) =>
      this.createdAt(from + index * indexedEntries),
    );
    return { ...segment, from, entries, blocks, since, until: this.createdAt(from + entries - 1) };
  }

  #segmentOf(segmentId: string): MadeSegment {
    const found = this.segments.find((one) => one.segmentId === segmentId);
    if (!found) throw new Error(`There is no segment ${segmentId}.`);
    return found;
  }

  #find({ segmentId, copy }: PartName): { segment: MadeSegment; plan: CopyPlan } {
    const segment = this.#segmentOf(segmentId);
    const found = planCopies(kind, segment.blocks).find((one) => one.copy === copy);
    if (!found) throw new Error(`A segment has no copy ${copy}.`);
    return { segment, plan: found };
  }

  /** The numbers of a block's transfers, in the order of its copy. */
  #rowsOf(segment: MadeSegment, plan: CopyPlan, block: number): ArrayLike<number> {
    const { from, entries, segmentId } = segment;
    const first = block * blockSize;
    const last = Math.min(first + blockSize, entries);
    if (plan.copy === timeCopy) return range(from + first, from + last);
    const firstBlock = Math.floor(block / plan.nodeBlocks) * plan.nodeBlocks;
    const name = `${segmentId} ${plan.copy} ${firstBlock}`;
    let node = this.#nodes.find((one) => one.name === name);
    if (!node) {
      const begin = firstBlock * blockSize;
      const length = Math.min(plan.nodeBlocks * blockSize, entries - begin);
      node = { name, firstBlock, rows: sortByAmount(from + begin, length) };
      this.#nodes = [node, ...this.#nodes.slice(0, mostNodes - 1)];
    }
    const offset = node.firstBlock * blockSize;
    return node.rows.subarray(first - offset, last - offset);
  }

  #entries(segment: MadeSegment, plan: CopyPlan, block: number): Entry[] {
    return Array.from(this.#rowsOf(segment, plan, block), (row) => this.at(row));
  }

  #rowOfBlock(segment: MadeSegment, plan: CopyPlan, block: number): SparseRow {
    return rowOfBlock(this.#entries(segment, plan, block), plan.order, kind.filters.length);
  }

  /** From this block on. A node of several indexes goes on where the index before ended. */
  #toIndex(segment: MadeSegment, plan: CopyPlan, first: number, rows: readonly SparseRow[]): SparseIndex {
    const isEnd = (row: number) => (first + row + 1) % plan.nodeBlocks === 0;
    const goesOn =
      plan.nodeBlocks > indexedBlocks && (plan.copy === timeCopy ? first > 0 : first % plan.nodeBlocks > 0);
    return buildIndex(rows, isEnd, goesOn ? this.#lastOf(segment, plan, first - 1) : undefined);
  }

  #lastOf(segment: MadeSegment, plan: CopyPlan, block: number): StoredPosition {
    return this.#rowOfBlock(segment, plan, block).last;
  }

  /** As if its blocks had been read: the first and the last say where, the rest is counted. */
  #rowOfIndex(segment: MadeSegment, plan: CopyPlan, index: number): SparseRow {
    const first = index * indexedBlocks;
    const blocks = range(first, Math.min(first + indexedBlocks, segment.blocks));
    const outer = [blocks[0] ?? 0, ...(blocks.length > 1 ? [blocks.at(-1) ?? 0] : [])];
    const rows = outer.map((block) => this.#rowOfBlock(segment, plan, block));
    const row = rowOfIndex(this.#toIndex(segment, plan, first, rows));
    const counts = [0, 0, 0];
    for (const block of blocks) {
      const made = this.#rowsOf(segment, plan, block);
      for (let at = 0; at < made.length; at += 1) {
        const status = statusOf(made[at] ?? 0);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    }
    const plus = Object.fromEntries(
      Object.keys(row.plus).map((combination) => [combination, counts[JSON.parse(combination)[0]] ?? 0]),
    );
    return { ...row, plus };
  }
}

/** The stretches that compactions and their merges leave. */
function plan(length: number, batch: number): { from: number; entries: number }[] {
  let segments: (Segment & { from: number })[] = [];
  const { segment } = beginSegment("planned");
  for (let from = 0; from < length; from += batch) {
    segments.push({ ...segment, segmentId: String(from), from, entries: Math.min(batch, length - from) });
    for (;;) {
      const merged = segmentsToMerge(segments);
      const [first] = merged.map(({ segmentId }) => Number(segmentId)).toSorted((one, other) => one - other);
      if (first === undefined) break;
      const entries = merged.reduce((sum, one) => sum + one.entries, 0);
      segments = segments.filter((one) => !merged.includes(one));
      segments.push({ ...segment, segmentId: String(first), from: first, entries });
    }
  }
  return segments;
}

function statusOf(row: number): number {
  return statuses[row % statuses.length] ?? 1;
}

function valuesOf(row: number): Value[] {
  return [statusOf(row), "out", amountOf(row)];
}

function amountOf(row: number): number {
  return (row * 7_919) % amounts;
}

/** By counting: of equal amounts, the earlier transfer comes first. */
function sortByAmount(from: number, length: number): Int32Array {
  const next = new Int32Array(amounts + 1);
  for (let row = from; row < from + length; row += 1) {
    const place = amountOf(row) + 1;
    next[place] = (next[place] ?? 0) + 1;
  }
  for (let amount = 1; amount <= amounts; amount += 1)
    next[amount] = (next[amount] ?? 0) + (next[amount - 1] ?? 0);
  const sorted = new Int32Array(length);
  for (let row = from; row < from + length; row += 1) {
    const amount = amountOf(row);
    const place = next[amount] ?? 0;
    sorted[place] = row;
    next[amount] = place + 1;
  }
  return sorted;
}

/** Of this time, and otherwise as random as others are. */
function ulid(timeMs: number, seed: number): string {
  let text = "";
  for (let left = timeMs, at = 0; at < 10; left = Math.floor(left / 32), at += 1)
    text = `${ulidAlphabet[left % 32]}${text}`;
  let state = seed + 1;
  for (let at = 0; at < 16; at += 1) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39 + at) >>> 0;
    text += ulidAlphabet[state >>> 27];
  }
  return text;
}
