/** A value that lists filter or order by; null where the record has none. */
export type Value = string | number | null;

/**
 * One record as a list knows it, or, with a negative weight, that it is not so any longer: a change is the old entry with -1 and the new
 * one with +1. What a list holds is the sum of all its entries, in whatever order they come.
 */
export interface Entry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** In the order of the kind's attributes. */
  readonly values: readonly Value[];
  readonly weight: number;
}

/** A place in an order: by value, then by id. `least` and `most` stand outside of all. */
export interface Place {
  readonly value: Value | typeof least | typeof most;
  readonly id: string;
}

const least = Symbol("least");
const most = Symbol("most");
export const start: Place = { value: least, id: "" };
export const end: Place = { value: most, id: "" };
/** Stands after every character that ids are made of. */
export const afterIds = "~";

/** Numbers by value, strings by code unit; an absent value stands before all others. */
export function compareValues(left: Place["value"], right: Place["value"]): number {
  if (left === right) return 0;
  if (left === least || right === most) return -1;
  if (left === most || right === least) return 1;
  if (left === null) return -1;
  if (right === null) return 1;
  return (left as string) < (right as string) ? -1 : 1;
}

export function comparePlaces(left: Place, right: Place): number {
  return compareValues(left.value, right.value) || (left.id === right.id ? 0 : left.id < right.id ? -1 : 1);
}

/** What an order goes by: `id` by id alone, `createdAt`, or the value at an index. */
export type Order = "id" | "createdAt" | number;

export function placeOf(entry: Entry, order: Order): Place {
  if (order === "id") return { value: null, id: entry.id };
  return { value: order === "createdAt" ? entry.createdAt : (entry.values[order] ?? null), id: entry.id };
}

export function compareEntries(order: Order): (left: Entry, right: Entry) => number {
  if (order === "id") return (left, right) => (left.id < right.id ? -1 : left.id === right.id ? 0 : 1);
  const value =
    order === "createdAt" ? (entry: Entry) => entry.createdAt : (entry: Entry) => entry.values[order] ?? null;
  return (left, right) =>
    compareValues(value(left), value(right)) || (left.id === right.id ? 0 : left.id < right.id ? -1 : 1);
}

/** What entries come to, where one alone stands for a record unless another is withdrawn: only the entries of such records are summed up. */
export function settled(entries: readonly Entry[]): readonly Entry[] {
  const withdrawn = new Set(entries.filter(({ weight }) => weight < 1).map(({ id }) => id));
  if (withdrawn.size === 0) return entries;
  const others = entries.filter(({ id }) => !withdrawn.has(id));
  return [...others, ...summed(entries.filter(({ id }) => withdrawn.has(id)))];
}

/** Sums up the weights of equal entries; what comes to nothing is left out. */
export function summed(entries: Iterable<Entry>): Entry[] {
  const sums = new Map<string, Entry[]>();
  for (const entry of entries) {
    const ofRecord = sums.get(entry.id);
    if (!ofRecord) {
      sums.set(entry.id, [entry]);
      continue;
    }
    const at = ofRecord.findIndex((other) => isSame(other, entry));
    const other = ofRecord[at];
    if (other) ofRecord[at] = { ...entry, weight: other.weight + entry.weight };
    else ofRecord.push(entry);
  }
  return [...sums.values()].flatMap((ofRecord) => ofRecord.filter(({ weight }) => weight !== 0));
}

function isSame(left: Entry, right: Entry): boolean {
  return (
    left.createdAt === right.createdAt &&
    left.values.length === right.values.length &&
    left.values.every((value, index) => value === right.values[index])
  );
}
