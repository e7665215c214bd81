import { type BatchWrite, writeBatch } from "../platform/table/batch.ts";
import { afterAll, type Key } from "../platform/table/keys.ts";
import type { Entry, List, ListKind, Value } from "./entry.ts";
import { compareEntries, entryPosition, type Order } from "./page-spec.ts";
import {
  blockKey,
  blockSize,
  branching,
  highestLevel,
  indexedBlocks,
  indexKey,
  pack,
  packBlock,
  type Segment,
  sortedCopy,
  timeCopy,
} from "./segment.ts";
import type { SparseIndex } from "./sparse-index.ts";

/** The entries must be sorted by creation time. */
export function newSegment(segmentId: string, sorted: readonly Entry[]): Segment {
  const step = blockSize * indexedBlocks;
  return {
    segmentId,
    entries: sorted.length,
    blocks: Math.ceil(sorted.length / blockSize),
    since: Array.from(
      { length: Math.ceil(sorted.length / step) },
      (_, index) => sorted[index * step]?.createdAt ?? 0,
    ),
    until: sorted.at(-1)?.createdAt ?? 0,
  };
}

/** Its parts are not read before a manifest names the segment. */
export async function writeSegment(
  list: List,
  { segmentId }: Segment,
  sorted: readonly Entry[],
): Promise<void> {
  const puts = function* (): Generator<BatchWrite> {
    for (const { copy, blocks, indexes } of buildCopies(list.kind, sorted)) {
      for (const [index, block] of blocks.entries()) {
        const key = blockKey(list, { segmentId, copy, index });
        yield { put: { ...key, body: packBlock(list.kind, block) } as Key };
      }
      for (const [index, sparseIndex] of indexes.entries()) {
        const key = indexKey(list, { segmentId, copy, index });
        yield { put: { ...key, body: pack(sparseIndex) } as Key };
      }
    }
  };
  await writeBatch(puts());
}

export async function deleteSegment(
  list: List,
  segment: Pick<Segment, "segmentId" | "blocks">,
): Promise<void> {
  const { segmentId, blocks } = segment;
  const removals = function* (): Generator<BatchWrite> {
    for (const { copy } of planCopies(list.kind, blocks)) {
      for (let index = 0; index < blocks; index += 1) {
        yield { remove: blockKey(list, { segmentId, copy, index }) };
        if (index % indexedBlocks > 0) continue;
        yield { remove: indexKey(list, { segmentId, copy, index: index / indexedBlocks }) };
      }
    }
  };
  await writeBatch(removals());
}

/** What a copy of a segment is sorted by, in nodes of how many blocks. */
interface CopyPlan {
  readonly copy: string;
  readonly order: Order;
  readonly nodeBlocks: number;
}

export function planCopies(kind: ListKind, blocks: number): CopyPlan[] {
  const levels = Array.from({ length: highestLevel(blocks) }, (_, index) => index + 1);
  const sorted = kind.orders.flatMap((_, index) => {
    const order = kind.filters.length + index;
    return levels.map((level) => ({ copy: sortedCopy(order, level), order, nodeBlocks: branching ** level }));
  });
  return [{ copy: timeCopy, order: "createdAt", nodeBlocks: Number.POSITIVE_INFINITY }, ...sorted];
}

export interface SegmentCopy {
  readonly copy: string;
  readonly blocks: readonly (readonly Entry[])[];
  readonly indexes: readonly SparseIndex[];
}

/** Builds one copy at a time: all at once would not fit into memory. */
export function* buildCopies(kind: ListKind, sorted: readonly Entry[]): Generator<SegmentCopy> {
  for (const plan of planCopies(kind, Math.ceil(sorted.length / blockSize)))
    yield buildCopy(kind, sorted, plan);
}

export function buildCopy(
  kind: ListKind,
  sorted: readonly Entry[],
  { copy, order, nodeBlocks }: CopyPlan,
): SegmentCopy {
  const inOrder =
    copy === timeCopy
      ? sorted
      : chunk(sorted, nodeBlocks * blockSize).flatMap((node) => node.toSorted(compareEntries(order)));
  const blocks = chunk(inOrder, blockSize);
  const indexes = chunk(blocks, indexedBlocks).map((part, index) => {
    const isLastOfNode = (block: number) => (index * indexedBlocks + block + 1) % nodeBlocks === 0;
    return buildIndex(part, order, kind.filters.length, isLastOfNode);
  });
  return { copy, blocks, indexes };
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function buildIndex(
  blocks: readonly (readonly Entry[])[],
  order: Order,
  filterCount: number,
  isLastOfNode: (block: number) => boolean,
): SparseIndex {
  const firstValues: Value[] = [];
  const firstIds: string[] = [];
  const ends: [number, Value, string][] = [];
  const counts = { plus: {} as Record<string, number[]>, minus: {} as Record<string, number[]> };
  let before: Entry | undefined;
  for (const [block, entries] of blocks.entries()) {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) throw new Error("A block has at least one entry.");
    const { value, id } = entryPosition(first, order);
    const tie = before && entryPosition(before, order).value === value ? before.id : "";
    // A record's tombstone and new entry may have one position, on both sides of the cut.
    if (tie === id) ends.push([block - 1, value as Value, `${id}${afterAll}`]);
    firstValues.push(value as Value);
    firstIds.push(tie === "" ? "" : id.slice(0, commonLength(tie, id) + 1));
    const isLast = isLastOfNode(block) || block === blocks.length - 1;
    if (isLast) ends.push([block, entryPosition(last, order).value as Value, `${last.id}${afterAll}`]);
    before = isLast ? undefined : last;
    for (const { values, weight } of entries) {
      const combination = JSON.stringify(values.slice(0, filterCount));
      const of = weight > 0 ? counts.plus : counts.minus;
      const column = of[combination] ?? Array<number>(blocks.length).fill(0);
      of[combination] = column;
      column[block] = (column[block] ?? 0) + Math.abs(weight);
    }
  }
  if (order !== "createdAt") return { firstValues, firstIds, ends, ...counts };
  const bounds = blocks.map(idBounds);
  const ids = { from: bounds.map(({ from }) => from), to: bounds.map(({ to }) => to) };
  return { firstValues, firstIds, ends, ...counts, ids };
}

/** The least and the greatest id, cut to their common prefix and two characters. */
function idBounds(entries: readonly Entry[]): { from: string; to: string } {
  let [least, greatest] = [entries[0]?.id ?? "", ""];
  for (const { id } of entries) {
    if (id < least) least = id;
    if (id > greatest) greatest = id;
  }
  const length = commonLength(least, greatest) + 2;
  return { from: least.slice(0, length), to: `${greatest.slice(0, length)}${afterAll}` };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
