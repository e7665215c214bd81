import { type BatchWrite, writeBatch } from "../platform/table/batch.ts";
import type { Entry, List, ListKind } from "./kind.ts";
import type { Progress } from "./manifest.ts";
import { MergedRuns, type Run } from "./merged-runs.ts";
import { compareEntries, entryPosition, type Order, type StoredPosition } from "./page-spec.ts";
import {
  type Block,
  blockKey,
  blockSize,
  branching,
  type Columns,
  countIndexes,
  highestLevel,
  indexedBlocks,
  indexKey,
  type PartName,
  pack,
  range,
  type Segment,
  sortedCopy,
  summaryKey,
  summaryName,
  timeColumns,
  timeCopy,
  ulidTimeMs,
} from "./segment.ts";
import type { SparseIndex } from "./sparse-index.ts";
import { buildIndex, rowOfBlock, rowOfIndex, summarize } from "./sparse-rows.ts";

/** A piece of a segment, as it is stored. */
export interface Part {
  readonly sort: "block" | "index" | "summary";
  readonly name: PartName;
  readonly body: Uint8Array;
}

/** Where parts are written, and read again. */
export interface PartStore {
  readonly kind: ListKind;
  write(parts: Iterable<Part>): Promise<void>;
  blocks(names: readonly PartName[]): Promise<readonly Block[]>;
  indexes(names: readonly PartName[]): Promise<readonly SparseIndex[]>;
}

const unbegun = { indexes: 0, taken: [], held: [], last: undefined };

export function beginSegment(segmentId: string): Progress {
  const segment = { segmentId, entries: 0, blocks: 0, since: [], until: 0, tombstones: 0 };
  return { ...unbegun, segment, step: 0 };
}

/** A step of the writer: runs that it merges, and the first sparse index of what it writes. */
interface Step {
  readonly order: Order;
  readonly runs: readonly Run[];
  readonly first: number;
  /** The copy that it writes; the first step writes all that lie within one sparse index. */
  readonly copy?: CopyPlan;
}

const indexedEntries = indexedBlocks * blockSize;

/**
 * Writes a segment of the sum of runs that are sorted by time, one sparse index with its blocks at
 * a time: no more than these and a few blocks of each run are in memory. Yields after each. No part
 * is read by others before a manifest names the segment.
 */
export async function* writeSegment(
  store: PartStore,
  begun: Progress,
  byTime: readonly Run[],
): AsyncGenerator<Progress, void> {
  let progress = begun;
  for (;;) {
    const step = planStep(store, progress, byTime);
    if (!step) break;
    const merged = new MergedRuns(step.runs, step.order, progress);
    for (let isEnd = false; !isEnd; ) {
      const entries = await merged.take(indexedEntries);
      isEnd = await merged.isEnd();
      const { segment, indexes, last } = progress;
      const isWhole = indexes === 0 && isEnd;
      const blocks = isWhole ? Math.ceil(entries.length / blockSize) : indexedBlocks;
      const copies = step.copy ? [step.copy] : planCopies(store.kind, blocks);
      const place = { segmentId: segment.segmentId, index: step.first + indexes, last };
      await store.write(indexParts(store.kind, place, entries, copies));
      const written = step.copy ? segment : extend(segment, entries);
      const { taken, held } = merged;
      const end = entries.at(-1);
      progress = isEnd
        ? { ...unbegun, segment: written, step: progress.step + 1 }
        : {
            ...{ segment: written, step: progress.step, indexes: indexes + 1, taken, held },
            last: end && entryPosition(end, step.order),
          };
      yield progress;
    }
  }
  if (isSummarized(progress.segment)) await writeSummaries(store, progress.segment);
}

function planStep(store: PartStore, { segment, step }: Progress, byTime: readonly Run[]): Step | undefined {
  if (step === 0) return { order: "createdAt", runs: byTime, first: 0 };
  const { segmentId, blocks } = segment;
  let count = 0;
  for (const copy of planCopies(store.kind, blocks).filter(isAboveIndexes)) {
    const nodes = Math.ceil(blocks / copy.nodeBlocks);
    count += nodes;
    if (step > count) continue;
    const size = copy.nodeBlocks / branching;
    const first = (step - 1 - count + nodes) * copy.nodeBlocks;
    const runs = range(0, branching)
      .map((child) => first + child * size)
      .filter((from) => from < blocks)
      .map((from) =>
        runOfBlocks(store, { segmentId, copy: copy.below, first: from, last: Math.min(from + size, blocks) }),
      );
    return { order: copy.order, runs, first: first / indexedBlocks, copy };
  }
  return undefined;
}

function extend({ since, ...segment }: Segment, entries: readonly Entry[]): Segment {
  const all = segment.entries + entries.length;
  return {
    ...segment,
    entries: all,
    blocks: Math.ceil(all / blockSize),
    since: [...since, ...entries.slice(0, 1).map(({ createdAt }) => createdAt)],
    until: entries.at(-1)?.createdAt ?? segment.until,
    tombstones: entries.reduce((sum, { weight }) => sum + Math.max(0, -weight), segment.tombstones),
  };
}

/** How many blocks of a run are read at a time. */
export const blocksAhead = 25;

interface BlockSpan {
  readonly segmentId: string;
  readonly copy: string;
  readonly first: number;
  /** The block after the last. */
  readonly last: number;
}

/** The entries of blocks. All but a segment's last one are full. */
export function runOfBlocks(store: PartStore, { segmentId, copy, first, last }: BlockSpan): Run {
  return async (from) => {
    const block = first + Math.floor(from / blockSize);
    const names = range(block, Math.min(block + blocksAhead, last)).map((index) => ({
      ...{ segmentId, copy, index },
    }));
    const blocks = names.length > 0 ? await store.blocks(names) : [];
    return blocks.flatMap((one) => one.entries()).slice(from % blockSize);
  };
}

/** Entries in memory. */
export function runOfEntries(sorted: readonly Entry[]): Run {
  return async (from) => sorted.slice(from, from + indexedEntries);
}

/** What a copy of a segment is sorted by, in nodes of how many blocks. */
export interface CopyPlan {
  readonly copy: string;
  readonly order: Order;
  readonly nodeBlocks: number;
  /** The copy of the level below. */
  readonly below: string;
}

export function planCopies(kind: ListKind, blocks: number): CopyPlan[] {
  const sorted = kind.orders.flatMap((_, index) => {
    const order = kind.filters.length + index;
    return range(1, highestLevel(blocks) + 1).map((level) => ({
      ...{ copy: sortedCopy(order, level), order, nodeBlocks: branching ** level },
      below: sortedCopy(order, level - 1),
    }));
  });
  return [
    { copy: timeCopy, order: "createdAt", nodeBlocks: Number.POSITIVE_INFINITY, below: timeCopy },
    ...sorted,
  ];
}

/** Whether a copy's nodes have more blocks than a sparse index. */
function isAboveIndexes({ nodeBlocks, copy }: CopyPlan): boolean {
  return nodeBlocks > indexedBlocks && copy !== timeCopy;
}

/** The blocks under one sparse index and the index, in each copy. */
function* indexParts(
  kind: ListKind,
  { segmentId, index, last }: { segmentId: string; index: number; last: StoredPosition | undefined },
  entries: readonly Entry[],
  copies: readonly CopyPlan[],
): Generator<Part> {
  if (entries.length === 0) return;
  let inOrder = entries;
  let sortedBy: Order = "createdAt";
  for (const { copy, order, nodeBlocks } of copies) {
    const isSorted = nodeBlocks > indexedBlocks;
    // Sorted nodes of the level below are sorted faster than entries by time.
    if (order !== sortedBy) inOrder = entries;
    sortedBy = order;
    if (!isSorted)
      inOrder = chunk(inOrder, nodeBlocks * blockSize).flatMap((node) =>
        node.toSorted(compareEntries(order)),
      );
    const blocks = chunk(inOrder, blockSize);
    const firstBlock = index * indexedBlocks;
    for (const [at, block] of blocks.entries()) {
      const name = { segmentId, copy, index: firstBlock + at };
      yield { sort: "block", name, body: packBlock(kind, block, order) };
    }
    const rows = blocks.map((block) => rowOfBlock(block, order, kind.filters.length));
    const isLastOfNode = (block: number) => (firstBlock + block + 1) % nodeBlocks === 0;
    const sparseIndex = buildIndex(rows, isLastOfNode, isSorted ? last : undefined);
    yield { sort: "index", name: { segmentId, copy, index }, body: pack(sparseIndex) };
  }
}

export function packBlock(kind: ListKind, entries: readonly Entry[], order: Order = "createdAt"): Uint8Array {
  const columns: Columns = [
    entries.map(({ id }) => id).join(" "),
    entries.map(({ id, createdAt }) => createdAt - ulidTimeMs(id)),
    entries.every(({ weight }) => weight === 1) ? 0 : entries.map(({ weight }) => weight),
    ...timeColumns(kind, order).map((isTime, column) =>
      entries.map(({ createdAt, values }) => {
        const value = values[column] ?? null;
        return isTime && typeof value === "number" ? value - createdAt : value;
      }),
    ),
  ];
  return pack(columns);
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return range(0, Math.ceil(all.length / size)).map((index) => all.slice(index * size, (index + 1) * size));
}

/** Whether a segment has more than one sparse index. */
export function isSummarized({ blocks }: Pick<Segment, "blocks">): boolean {
  return blocks > indexedBlocks;
}

/** One for each order has the sparse indexes of copies whose nodes have at least one each. */
async function writeSummaries(store: PartStore, { segmentId, blocks }: Segment): Promise<void> {
  const plans = planCopies(store.kind, blocks).filter(({ nodeBlocks }) => nodeBlocks >= indexedBlocks);
  for (const [order, ofOrder] of Map.groupBy(plans, (plan) => plan.order)) {
    const summary: Record<string, SparseIndex> = {};
    for (const { copy, nodeBlocks } of ofOrder) {
      const rows = [];
      const names = range(0, countIndexes(blocks)).map((index) => ({ segmentId, copy, index }));
      for (const some of chunk(names, blocksAhead)) rows.push(...(await store.indexes(some)).map(rowOfIndex));
      summary[copy] = summarize(rows, nodeBlocks / indexedBlocks);
    }
    const name = summaryName(typeof order === "number" ? order : timeCopy, segmentId);
    await store.write([{ sort: "summary", name, body: pack(summary) }]);
  }
}

const partKeys = { block: blockKey, index: indexKey, summary: summaryKey };

export async function writeParts(list: List, parts: Iterable<Part>): Promise<void> {
  const puts = function* (): Generator<BatchWrite> {
    for (const { sort, name, body } of parts) yield { put: { ...partKeys[sort](list, name), body } as never };
  };
  await writeBatch(puts());
}

/** Yields how many sparse indexes, with their blocks, are deleted. The last of them is the end. */
export async function* deleteSegment(
  list: List,
  { segmentId, blocks }: Pick<Segment, "segmentId" | "blocks">,
  from: number,
): AsyncGenerator<number, void> {
  const copies = planCopies(list.kind, blocks);
  for (const index of range(from, countIndexes(blocks))) {
    const removals = function* (): Generator<BatchWrite> {
      const first = index * indexedBlocks;
      for (const { copy } of copies) {
        for (const block of range(first, Math.min(first + indexedBlocks, blocks)))
          yield { remove: blockKey(list, { segmentId, copy, index: block }) };
        yield { remove: indexKey(list, { segmentId, copy, index }) };
      }
      if (index > 0 || !isSummarized({ blocks })) return;
      for (const order of [
        timeCopy,
        ...list.kind.orders.map((_, at) => list.kind.filters.length + at),
      ] as const)
        yield { remove: summaryKey(list, summaryName(order, segmentId)) };
    };
    await writeBatch(removals());
    yield index + 1;
  }
}
