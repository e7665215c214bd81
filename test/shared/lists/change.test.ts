import { describe, expect, test } from "vitest";
import { holdList } from "../../../shared/authorizations/holds/hold.ts";
import { cardholderList } from "../../../shared/cardholders/cardholder.ts";
import { cardList } from "../../../shared/cards/card.ts";
import {
  type ChangeRow,
  type Entry,
  type ListKind,
  listChange,
  triggersCompaction,
} from "../../../shared/lists/entry.ts";
import { newId } from "../../../shared/platform/id.ts";
import { feeList, transactionList } from "../../../shared/transactions/transaction.ts";

function rowOf(kind: ListKind, entries: readonly Entry[]): ChangeRow {
  const action = listChange({ programId: "prg_1", kind }, entries);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as ChangeRow;
}

const entryOf = (id: string): Entry => ({ id, createdAt: 1, values: [], weight: 1 });

describe("a change", () => {
  test("is stored where all changes of its record are, so that none is read without the one before", () => {
    for (let record = 0; record < 50; record += 1) {
      const entry = entryOf(newId("transaction"));
      const rows = [[entry], [{ ...entry, weight: -1 }, entry], [{ ...entry, weight: -1 }]];
      expect(new Set(rows.map((entries) => rowOf(transactionList, entries).pk)).size).toBe(1);
    }
  });

  test.each([
    { kind: transactionList, shards: 16 },
    { kind: feeList, shards: 16 },
    { kind: cardList, shards: 1 },
    { kind: cardholderList, shards: 1 },
    { kind: holdList, shards: 16 },
  ])(
    "of $kind.name is in one of $shards shards, and 1 in 64, all in one shard, triggers a compaction",
    ({ kind, shards }) => {
      const count = 12_800;
      const rows = Array.from({ length: count }, () =>
        rowOf(kind, [entryOf(kind === holdList ? "held" : newId("transaction"))]),
      );
      expect(new Set(rows.map(({ pk }) => pk)).size).toBe(shards);
      const triggers = rows.filter((row) => triggersCompaction(kind, row));
      expect(new Set(triggers.map(({ pk }) => pk)).size).toBe(1);
      expect(triggers.length).toBeGreaterThan(count / 64 / 1.5);
      expect(triggers.length).toBeLessThan((count / 64) * 1.5);
    },
  );
});
