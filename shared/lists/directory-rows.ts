import { type Ask, fits } from "./ask.ts";
import { boundsOf, type Counts, type Directory, endsOf } from "./directory.ts";
import type { Place, Value } from "./entry.ts";
import type { PartName } from "./run-plan.ts";

/** Where the blocks of rows lie in the order: each, and those from `first` up to `last`, which follow one another. */
export interface Places {
  readonly of: (row: number, value: Value) => { readonly from: Place; readonly to: Place };
  readonly ofAll: (first: number, last: number, value: Value) => { readonly from: Place; readonly to: Place };
}

/** What one directory tells of the rows that it has, one for each block, and a page asks for. */
export interface Rows {
  /** The directory's. */
  readonly name: PartName;
  readonly length: number;
  readonly byFilter: boolean;
  readonly fitting: readonly Fitting[];
  /** By the order that the directory's list is sorted by. */
  readonly sortedPlaces: Places;
  /** By id, in a list by time of creation. */
  readonly placesOfIds: Places;
}

/** How many entries of each block fit the filters, by value of the order if that is a filter, else all under null. */
interface Fitting {
  readonly value: Value;
  readonly added: Column;
  readonly withdrawn: Column;
}

export function rowsOf(name: PartName, directory: Directory, ask: Ask, byFilter: boolean): Rows {
  return {
    name,
    length: directory.firstValues.length,
    byFilter,
    fitting: fittingOf(ask, directory, byFilter),
    sortedPlaces: sortedPlaces(directory),
    placesOfIds: placesOfIds(directory),
  };
}

function fittingOf(ask: Ask, { plus, minus }: Directory, byFilter: boolean): Fitting[] {
  const fitting = new Map<Value, { plus: (readonly number[])[]; minus: (readonly number[])[] }>();
  const gather = (counts: Counts, sign: "plus" | "minus") => {
    for (const [combination, column] of Object.entries(counts)) {
      const values = valuesOf(combination);
      if (!fits(ask, values)) continue;
      const value = byFilter ? (values[ask.order as number] ?? null) : null;
      const found = fitting.get(value) ?? { plus: [], minus: [] };
      fitting.set(value, found);
      found[sign].push(column);
    }
  };
  gather(plus, "plus");
  gather(minus, "minus");
  return [...fitting].map(([value, columns]) => ({
    value,
    added: new Column(columns.plus),
    withdrawn: new Column(columns.minus),
  }));
}

const combinations = new Map<string, readonly Value[]>();

/** There are few combinations, and they are met on every page. */
function valuesOf(combination: string): readonly Value[] {
  const known = combinations.get(combination);
  if (known) return known;
  const values = JSON.parse(combination) as Value[];
  combinations.set(combination, values);
  return values;
}

/** The sum of columns of counts. */
class Column {
  readonly #columns: readonly (readonly number[])[];

  constructor(columns: readonly (readonly number[])[]) {
    this.#columns = columns;
  }

  at(row: number): number {
    let sum = 0;
    for (const column of this.#columns) sum += column[row] ?? 0;
    return sum;
  }

  sum(first: number, last: number): number {
    let sum = 0;
    for (const column of this.#columns) {
      const before = sumsOf(column);
      sum += (before[last] ?? 0) - (before[first] ?? 0);
    }
    return sum;
  }
}

const knownSums = new WeakMap<readonly number[], Float64Array>();

/** The sum of what stands before each row: directories are kept, and asked again and again. */
function sumsOf(column: readonly number[]): Float64Array {
  const known = knownSums.get(column);
  if (known) return known;
  const sums = new Float64Array(column.length + 1);
  for (const [row, count] of column.entries()) sums[row + 1] = (sums[row] ?? 0) + count;
  knownSums.set(column, sums);
  return sums;
}

function sortedPlaces(directory: Directory): Places {
  const ends = endsOf(directory);
  const of = (row: number) => boundsOf(directory, ends, row);
  return { of, ofAll: (first, last) => ({ from: of(first).from, to: of(last - 1).to }) };
}

function placesOfIds(directory: Directory): Places {
  const [froms, tos] = [directory.ids?.from ?? [], directory.ids?.to ?? []];
  return {
    of: (row, value) => ({ from: { value, id: froms[row] ?? "" }, to: { value, id: tos[row] ?? "" } }),
    ofAll: (first, last, value) => {
      const { from, to } = outermost(directory, first, last);
      return { from: { value, id: from }, to: { value, id: to } };
    },
  };
}

/** Rows that are mostly asked for together, from a multiple of it on. */
export const groupRows = 64;

interface IdBounds {
  readonly from: string;
  readonly to: string;
}
const knownBounds = new WeakMap<Directory, Map<number, IdBounds>>();

/** The least and the greatest id of rows; of a whole group they are looked for once. */
function outermost(directory: Directory, first: number, last: number): IdBounds {
  const known = knownBounds.get(directory) ?? new Map<number, IdBounds>();
  knownBounds.set(directory, known);
  const isGroup = first % groupRows === 0 && last === first + groupRows;
  const found = isGroup ? known.get(first) : undefined;
  if (found) return found;
  const [froms, tos] = [directory.ids?.from ?? [], directory.ids?.to ?? []];
  let [from, to] = [froms[first] ?? "", ""];
  for (let row = first; row < last; row += 1) {
    from = (froms[row] ?? "") < from ? (froms[row] ?? "") : from;
    to = (tos[row] ?? "") > to ? (tos[row] ?? "") : to;
  }
  if (isGroup) known.set(first, { from, to });
  return { from, to };
}
