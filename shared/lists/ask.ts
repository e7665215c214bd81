import type { Entry, Order, Value } from "./entry.ts";

/** Which page of which records. */
export interface Ask {
  readonly order: Order;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
  /** Milliseconds: only what was created strictly later, and strictly earlier. */
  readonly after: number;
  readonly before: number;
  /** Only the record with this id. */
  readonly id?: string | undefined;
  /** The value that each index of an entry's values must have, or must not. */
  readonly wanted: readonly (readonly [index: number, value: Value])[];
  readonly unwanted: readonly (readonly [index: number, value: Value])[];
}

/** Whether values are as the filters want them: an entry's, or those of a combination, which are the first ones only. */
export function fits({ wanted, unwanted }: Ask, values: readonly Value[]): boolean {
  return (
    wanted.every(([index, value]) => index >= values.length || values[index] === value) &&
    unwanted.every(([index, value]) => index >= values.length || values[index] !== value)
  );
}

export function matches(ask: Ask, { id, createdAt, values }: Entry): boolean {
  return (
    createdAt > ask.after &&
    createdAt < ask.before &&
    (ask.id === undefined || ask.id === id) &&
    fits(ask, values)
  );
}
