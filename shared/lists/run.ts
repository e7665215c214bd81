import { blockSize } from "./block.ts";
import { type Directory, directoryBlocks, directoryOf } from "./directory.ts";
import { compareEntries, type Entry, type Order } from "./entry.ts";
import { kinds, type ListedKind } from "./listed-kind.ts";

/**
 * An immutable set of entries. They stand in blocks by their time of creation (the list `t`); and for each order, at each level, once more:
 * a level cuts the same blocks into nodes of `fan` to the level's power, and sorts each node. So any span of time is a few whole nodes, of which
 * each is sorted, and two blocks that lie partly inside; the highest level is one node, the whole run sorted.
 */
export interface Run {
  readonly runId: string;
  readonly entries: number;
  readonly blocks: number;
  /** When the first entry of each directory was created, in milliseconds. */
  readonly since: readonly number[];
  /** When the last entry was created. */
  readonly until: number;
}

export const fan = 4;
/** The level whose nodes are as large as a directory; nodes of lower ones stand within one. */
export const directoryLevel = Math.round(Math.log(directoryBlocks) / Math.log(fan));

/** A sorted stretch of a list: the blocks that a node is made of, to be added or to be taken away again. */
export interface Node {
  readonly level: number;
  readonly first: number;
  /** The block after its last. */
  readonly last: number;
  readonly isTaken: boolean;
}

export const timeList = "t";
export const orderList = (order: number, level: number): string => `${order}.${level}`;

/** The level at which all the blocks are one node. */
export function highestLevel(blocks: number): number {
  let level = 1;
  while (fan ** level < blocks) level += 1;
  return level;
}

/**
 * Few nodes, none above `level`, that come to the blocks from `first` up to `last`: those that are added less those that are taken away. On each level an
 * end is moved to one of the next level's nodes, inwards or outwards, whichever is nearer. Level 0 is a block by itself.
 */
export function nodesOf(first: number, last: number, blocks: number, level: number): Node[] {
  const nodes: Node[] = [];
  const add = (at: number, from: number, to: number, isTaken: boolean) => {
    for (let block = from; block < Math.min(to, blocks); block += fan ** at) {
      nodes.push({ level: at, first: block, last: Math.min(block + fan ** at, blocks), isTaken });
    }
  };
  // There is nothing behind the last block: one end there is as good as another.
  let [low, high] = [first, last === blocks ? roundedUp(last, fan ** level) : last];
  let at = 0;
  for (; at < level && high - low >= fan ** (at + 1); at += 1) {
    const size = fan ** (at + 1);
    const [below, above] = [roundedUp(low, size) - size, roundedUp(low, size)];
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

function roundedUp(value: number, size: number): number {
  return Math.ceil(value / size) * size;
}

/** One list of a run as it is stored: all its blocks, and the directories that speak of them. */
export interface RunList {
  readonly list: string;
  readonly blocks: readonly (readonly Entry[])[];
  readonly directories: readonly Directory[];
}

/** What a run of these entries is known by; they must be sorted by their time of creation. */
export function runOf(runId: string, sorted: readonly Entry[]): Run {
  const step = blockSize * directoryBlocks;
  return {
    runId,
    entries: sorted.length,
    blocks: Math.ceil(sorted.length / blockSize),
    since: Array.from(
      { length: Math.ceil(sorted.length / step) },
      (_, index) => sorted[index * step]?.createdAt ?? 0,
    ),
    until: sorted.at(-1)?.createdAt ?? 0,
  };
}

/** The names of all the lists of a run, with what each is sorted by and the size of its nodes in blocks. */
export function listsOf(kind: ListedKind, blocks: number): { list: string; order: Order; node: number }[] {
  const { filters, orders } = kinds[kind];
  const levels = Array.from({ length: highestLevel(blocks) }, (_, index) => index + 1);
  const sorted = orders.flatMap((_, index) => {
    const order = filters.length + index;
    return levels.map((level) => ({ list: orderList(order, level), order, node: fan ** level }));
  });
  return [{ list: timeList, order: "createdAt", node: Number.POSITIVE_INFINITY }, ...sorted];
}

/** Makes the lists of a run one after another, since all at once would not fit into memory. */
export function* buildLists(kind: ListedKind, sorted: readonly Entry[]): Generator<RunList> {
  const filterCount = kinds[kind].filters.length;
  for (const { list, order, node } of listsOf(kind, Math.ceil(sorted.length / blockSize))) {
    const inOrder =
      node === Number.POSITIVE_INFINITY
        ? sorted
        : cut(sorted, node * blockSize).flatMap((part) => part.toSorted(compareEntries(order)));
    const blocks = cut(inOrder, blockSize);
    const directories = cut(blocks, directoryBlocks).map((part, index) =>
      directoryOf(part, order, filterCount, (block) => (index * directoryBlocks + block + 1) % node === 0),
    );
    yield { list, blocks, directories };
  }
}

function cut<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
