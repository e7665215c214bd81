import { listChange } from "../../lists/change.ts";
import type { Entry, ListKind } from "../../lists/entry.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** A list that no endpoint shows: its total is the sum of a Program's open holds, in minor units. */
export const holdList: ListKind = { name: "holds", filters: [], orders: [], shards: 16, isOneEntry: true };

/** Adds to the sum of open holds; a negative amount takes away. */
export function holdListChange(programId: string, amountMinor: number): WriteAction {
  return listChange({ programId, kind: holdList }, [holdListEntry(amountMinor)]);
}

/** All holds of a Program are one entry, weighted with their minor units. */
export function holdListEntry(weight: number): Entry {
  return { id: "held", createdAt: 0, values: [], weight };
}
