import { type Attributes, compareTexts } from "./attributes.ts";
import { invalid } from "./engine-error.ts";

/** Where a row is among others: its partition, and its order there. */
export interface Place {
  readonly hash: string;
  readonly range: string;
  /** The key in the table, in an index: two items may have the same key there. */
  readonly tie: string;
}

interface Row extends Place {
  readonly item: Attributes;
}

/** Rows by partition, in order. */
export class Rows {
  readonly #partitions = new Map<string, Row[]>();
  /** In order. */
  readonly #hashes: string[] = [];

  get({ hash, range, tie }: Place): Attributes | undefined {
    const rows = this.#partitions.get(hash) ?? [];
    const row = rows[placeIn(rows, range, tie)];
    return row?.range === range && row.tie === tie ? row.item : undefined;
  }

  put(place: Place, item: Attributes): void {
    let rows = this.#partitions.get(place.hash);
    if (!rows) {
      rows = [];
      this.#partitions.set(place.hash, rows);
      this.#hashes.splice(placeOfHash(this.#hashes, place.hash), 0, place.hash);
    }
    const at = placeIn(rows, place.range, place.tie);
    const isThere = rows[at]?.range === place.range && rows[at]?.tie === place.tie;
    rows.splice(at, isThere ? 1 : 0, { ...place, item });
  }

  delete({ hash, range, tie }: Place): void {
    const rows = this.#partitions.get(hash) ?? [];
    const at = placeIn(rows, range, tie);
    if (rows[at]?.range === range && rows[at]?.tie === tie) rows.splice(at, 1);
  }

  /** A partition's rows after a place, or all, in either direction. */
  *partition(hash: string, after: Place | undefined, isBackwards: boolean): Iterable<Attributes> {
    const rows = this.#partitions.get(hash) ?? [];
    if (isBackwards) {
      const end = after ? placeIn(rows, after.range, after.tie) : rows.length;
      for (let at = end - 1; at >= 0; at -= 1) yield (rows[at] as Row).item;
      return;
    }
    let at = after ? placeIn(rows, after.range, after.tie) : 0;
    if (after && rows[at]?.range === after.range && rows[at]?.tie === after.tie) at += 1;
    for (; at < rows.length; at += 1) yield (rows[at] as Row).item;
  }

  /** All rows after a place, or all, in the order of their partitions. */
  *all(after?: Place): Generator<Attributes, void> {
    const first = after ? placeOfHash(this.#hashes, after.hash) : 0;
    // A partition that is made meanwhile does not move those behind it.
    for (const hash of this.#hashes.slice(first)) {
      yield* this.partition(hash, after?.hash === hash ? after : undefined, false);
    }
  }
}

function compareRows(row: Row, range: string, tie: string): number {
  return compareTexts(row.range, range) || compareTexts(row.tie, tie);
}

/** The first place that is not before it. */
function placeIn(rows: readonly Row[], range: string, tie: string): number {
  return firstAt(rows.length, (at) => compareRows(rows[at] as Row, range, tie) >= 0);
}

function placeOfHash(hashes: readonly string[], hash: string): number {
  return firstAt(hashes.length, (at) => compareTexts(hashes[at] as string, hash) >= 0);
}

/** The first of so many places from which on it holds. */
function firstAt(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The names of a key's attributes, which are texts. */
export interface KeyNames {
  readonly hash: string;
  readonly range: string | undefined;
}

/** Undefined where the item has no such key: an index lacks it then. */
export function findPlace(item: Attributes, { hash, range }: KeyNames, tie = ""): Place | undefined {
  const [first, last] = [item[hash], range === undefined ? undefined : item[range]];
  for (const value of [first, last]) {
    if (value && value.S === undefined)
      throw invalid("One or more parameter values were invalid: Type mismatch for key");
    if (value?.S === "")
      throw invalid("One or more parameter values are not valid. A key attribute has an empty string value.");
  }
  if (!first || (range !== undefined && !last)) return undefined;
  return { hash: String(first.S), range: last?.S ?? "", tie };
}
