import type { Entry, Value } from "./kind.ts";

/** A list is ordered by id alone, by `createdAt`, or by the value at an index. */
export type Order = "id" | "createdAt" | number;

/** A position in an order: by value, then by id. */
export interface Position {
  readonly value: Value | typeof least | typeof most;
  readonly id: string;
}

/** Where an entry is. */
export interface StoredPosition extends Position {
  readonly value: Value;
}

const least = Symbol("least");
const most = Symbol("most");
/** These are before and after every entry. */
export const lowest: Position = { value: least, id: "" };
export const highest: Position = { value: most, id: "" };

export function entryPosition(entry: Entry, order: Order): StoredPosition {
  if (order === "id") return { value: null, id: entry.id };
  return { value: order === "createdAt" ? entry.createdAt : (entry.values[order] ?? null), id: entry.id };
}

/** Numbers by value, strings by code unit; an absent value comes first. */
export function compareValues(left: Position["value"], right: Position["value"]): number {
  if (left === right) return 0;
  if (left === least || right === most) return -1;
  if (left === most || right === least) return 1;
  if (left === null) return -1;
  if (right === null) return 1;
  return (left as string) < (right as string) ? -1 : 1;
}

export function comparePositions(left: Position, right: Position): number {
  return compareValues(left.value, right.value) || compareIds(left, right);
}

export function compareEntries(order: Order): (left: Entry, right: Entry) => number {
  if (order === "id") return compareIds;
  const value =
    order === "createdAt" ? (entry: Entry) => entry.createdAt : (entry: Entry) => entry.values[order] ?? null;
  return (left, right) => compareValues(value(left), value(right)) || compareIds(left, right);
}

function compareIds(left: { readonly id: string }, right: { readonly id: string }): number {
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

export interface PageSpec {
  readonly order: Order;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
  /** The time span, in milliseconds: only what was created strictly between the two. */
  readonly after: number;
  readonly before: number;
  /** Finds only the record with this id: the order is "id" then. */
  readonly id?: string | undefined;
  /** The value that each index of an entry's values must have, or must not have. */
  readonly equal: readonly Filter[];
  readonly unequal: readonly Filter[];
  /** More that must be true of an entry. No index knows it: all entries of the span are read. */
  readonly where?: ((entry: Entry) => boolean) | undefined;
  /** Only what lies between these positions of the order. */
  readonly within?: Within | undefined;
}

export interface Within {
  readonly from: Position;
  /** Excluded. */
  readonly to: Position;
}

/** Values of an attribute: all from one to another, both included, or all that begin so. */
export type Span =
  | { readonly attribute: string; readonly from?: number | undefined; readonly to?: number | undefined }
  | { readonly attribute: string; readonly is: string }
  | { readonly attribute: string; readonly prefix: string };

/** After every text that begins so. */
const afterPrefix = "\uffff";

export function toWithin(span: Span): Within {
  if ("is" in span) return { from: { value: span.is, id: "" }, to: { value: span.is, id: afterPrefix } };
  if ("prefix" in span) {
    const { prefix } = span;
    // Nothing begins with nothing: else a filter that is empty would find all.
    const end = prefix === "" ? { value: "", id: "" } : { value: `${prefix}${afterPrefix}`, id: "" };
    return { from: { value: prefix, id: "" }, to: end };
  }
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = span;
  return { from: { value: from, id: "" }, to: { value: to, id: afterPrefix } };
}

export function isWithin({ from, to }: Within, position: Position): boolean {
  return comparePositions(position, from) >= 0 && comparePositions(position, to) < 0;
}

export type Filter = readonly [index: number, value: Value];

/** `values` are an entry's, or only its filter values, which come first. */
export function matchesFilters({ equal, unequal }: PageSpec, values: readonly Value[]): boolean {
  return (
    equal.every(([index, value]) => index >= values.length || values[index] === value) &&
    unequal.every(([index, value]) => index >= values.length || values[index] !== value)
  );
}

export function matchesSpec(spec: PageSpec, entry: Entry): boolean {
  const { id, createdAt, values } = entry;
  return (
    createdAt > spec.after &&
    createdAt < spec.before &&
    (spec.id === undefined || spec.id === id) &&
    matchesFilters(spec, values) &&
    (spec.within === undefined || isWithin(spec.within, entryPosition(entry, spec.order)))
  );
}
