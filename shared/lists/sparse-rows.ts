import { afterAll } from "../platform/table/keys.ts";
import type { Entry, Value } from "./kind.ts";
import { entryPosition, type Order, type StoredPosition } from "./page-spec.ts";
import type { SparseIndex } from "./sparse-index.ts";

/** What is known of a block; or, for a summary, of all blocks under a sparse index. */
export interface SparseRow {
  readonly first: StoredPosition;
  readonly last: StoredPosition;
  readonly plus: Readonly<Record<string, number>>;
  readonly minus: Readonly<Record<string, number>>;
  /** In the time copy only. */
  readonly ids: IdSpan | undefined;
}

interface IdSpan {
  readonly from: string;
  readonly to: string;
}

export function rowOfBlock(entries: readonly Entry[], order: Order, filterCount: number): SparseRow {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) throw new Error("A block has at least one entry.");
  const plus: Record<string, number> = {};
  const minus: Record<string, number> = {};
  for (const { values, weight } of entries) {
    const combination = JSON.stringify(values.slice(0, filterCount));
    const of = weight > 0 ? plus : minus;
    of[combination] = (of[combination] ?? 0) + Math.abs(weight);
  }
  const all = order === "createdAt" ? entries.map(({ id }) => id) : undefined;
  const ids = all && toSpan(all, all);
  return { first: entryPosition(first, order), last: entryPosition(last, order), plus, minus, ids };
}

export function rowOfIndex({ firstValues, firstIds, ends, plus, minus, ids }: SparseIndex): SparseRow {
  const [, value, id] = ends.at(-1) ?? [0, null, afterAll];
  const sums = (counts: SparseIndex["plus"]) =>
    Object.fromEntries(
      Object.entries(counts).map(([combination, column]) => [
        combination,
        column.reduce((sum, count) => sum + count, 0),
      ]),
    );
  return {
    first: { value: firstValues[0] ?? null, id: firstIds[0] ?? "" },
    last: { value, id: id.slice(0, -afterAll.length) },
    ...{ plus: sums(plus), minus: sums(minus) },
    ids: ids && toSpan(ids.from, ids.to),
  };
}

/** A sparse index of blocks, of which the one before the first ends at `before`. */
export function buildIndex(
  rows: readonly SparseRow[],
  isLastOfNode: (row: number) => boolean,
  before?: StoredPosition,
): SparseIndex {
  const isEnd = (row: number) => isLastOfNode(row) || row === rows.length - 1;
  return toIndex(rows, isEnd, (id) => `${id}${afterAll}`, before);
}

/** The same of sparse indexes: so many in a node. */
export function summarize(rows: readonly SparseRow[], nodeRows: number): SparseIndex {
  const isEnd = (row: number) => (row + 1) % nodeRows === 0 || row === rows.length - 1;
  return toIndex(rows, isEnd, () => afterAll);
}

function toIndex(
  rows: readonly SparseRow[],
  isEnd: (row: number) => boolean,
  endId: (lastId: string) => string,
  start?: StoredPosition,
): SparseIndex {
  const firstIds: string[] = [];
  const ends: [number, Value, string][] = [];
  let before = start;
  for (const [row, { first, last }] of rows.entries()) {
    const { value, id } = first;
    const tie = before?.value === value ? before.id : "";
    // A record's tombstone and new entry may have one position, on both sides of the cut.
    if (tie !== "" && tie === id && row > 0) ends.push([row - 1, value, `${id}${afterAll}`]);
    firstIds.push(tie === "" ? "" : id.slice(0, commonLength(tie, id) + 1));
    if (isEnd(row)) ends.push([row, last.value, endId(last.id)]);
    before = isEnd(row) ? undefined : last;
  }
  const ids = rows.flatMap((row) => (row.ids ? [cut(row.ids)] : []));
  return {
    ...{ firstValues: rows.map(({ first }) => first.value), firstIds, ends },
    ...{ plus: toColumns(rows.map(({ plus }) => plus)), minus: toColumns(rows.map(({ minus }) => minus)) },
    ...(ids.length > 0 && { ids: { from: ids.map(({ from }) => from), to: ids.map(({ to }) => to) } }),
  };
}

function toColumns(rows: readonly Readonly<Record<string, number>>[]): Record<string, number[]> {
  const columns: Record<string, number[]> = {};
  for (const [row, counts] of rows.entries()) {
    for (const [combination, count] of Object.entries(counts)) {
      const column = columns[combination] ?? Array<number>(rows.length).fill(0);
      columns[combination] = column;
      column[row] = count;
    }
  }
  return columns;
}

/** The least and the greatest. */
function toSpan(froms: readonly string[], tos: readonly string[]): IdSpan {
  return {
    from: froms.reduce((least, id) => (id < least ? id : least)),
    to: tos.reduce((greatest, id) => (id > greatest ? id : greatest)),
  };
}

/** Cut to their common prefix and two characters. */
function cut({ from, to }: IdSpan): IdSpan {
  const length = commonLength(from, to) + 2;
  return { from: from.slice(0, length), to: `${to.slice(0, length)}${afterAll}` };
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
