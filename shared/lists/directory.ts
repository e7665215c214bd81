import type { Entry, Order, Place, Value } from "./entry.ts";
import { afterIds, placeOf } from "./entry.ts";

/** Blocks that one directory speaks of; a power of the fan, so that a node of a level is never cut by a smaller directory. */
export const directoryBlocks = 256;

/** Counts by the combination of filter values, each as JSON, for the blocks in their order. */
export type Counts = Readonly<Record<string, readonly number[]>>;

/** What is known of the blocks of one list without reading them; by columns, one row a block. */
export interface Directory {
  /** Nothing in the block comes before this place. */
  readonly firstValues: readonly Value[];
  readonly firstIds: readonly string[];
  /** Where the next block's first place does not end a block: its index and the place that nothing in it reaches. */
  readonly ends: readonly (readonly [block: number, value: Value, id: string])[];
  readonly plus: Counts;
  readonly minus: Counts;
  /** Only in a list by time of creation: the ids that each block lies between. */
  readonly ids?: { readonly from: readonly string[]; readonly to: readonly string[] };
}

/** Makes the directory of blocks that follow one another; `endsNode` tells the last block of each sorted stretch. */
export function directoryOf(
  blocks: readonly (readonly Entry[])[],
  order: Order,
  filterCount: number,
  endsNode: (block: number) => boolean,
): Directory {
  const firstValues: Value[] = [];
  const firstIds: string[] = [];
  const ends: [number, Value, string][] = [];
  const counts = { plus: {} as Record<string, number[]>, minus: {} as Record<string, number[]> };
  let before: Entry | undefined;
  for (const [block, entries] of blocks.entries()) {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last) throw new Error("A block has at least one entry.");
    const { value, id } = placeOf(first, order);
    const tie = before && placeOf(before, order).value === value ? before.id : "";
    // The old and the new entry of a change may stand in one place, on both sides of the cut.
    if (tie === id) ends.push([block - 1, value as Value, `${id}${afterIds}`]);
    firstValues.push(value as Value);
    firstIds.push(tie === "" ? "" : id.slice(0, commonLength(tie, id) + 1));
    const isLast = endsNode(block) || block === blocks.length - 1;
    if (isLast) ends.push([block, placeOf(last, order).value as Value, `${last.id}${afterIds}`]);
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
  const bounds = blocks.map((entries) => idBounds(entries));
  const ids = { from: bounds.map(({ from }) => from), to: bounds.map(({ to }) => to) };
  return { firstValues, firstIds, ends, ...counts, ids };
}

/** Where block `index` of the directory begins, and what it does not reach. */
export function boundsOf(directory: Directory, ends: ReadonlyMap<number, Place>, index: number) {
  const first = (at: number): Place => ({
    value: directory.firstValues[at] ?? null,
    id: directory.firstIds[at] ?? "",
  });
  return { from: first(index), to: ends.get(index) ?? first(index + 1) };
}

export function endsOf(directory: Directory): Map<number, Place> {
  return new Map(directory.ends.map(([block, value, id]) => [block, { value, id }]));
}

/** Enough of the least and the greatest id to tell neighbouring blocks apart: two more than all their ids begin with. */
function idBounds(entries: readonly Entry[]): { from: string; to: string } {
  let [least, greatest] = [entries[0]?.id ?? "", ""];
  for (const { id } of entries) {
    if (id < least) least = id;
    if (id > greatest) greatest = id;
  }
  const length = commonLength(least, greatest) + 2;
  return { from: least.slice(0, length), to: `${greatest.slice(0, length)}${afterIds}` };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
