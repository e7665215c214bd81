import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdList } from "../../../shared/authorizations/holds/hold.ts";
import { cardholderList } from "../../../shared/cardholders/cardholder.ts";
import { cardList } from "../../../shared/cards/card-view.ts";
import { triggersCompaction } from "../../../shared/lists/compaction.ts";
import { listChange } from "../../../shared/lists/entry.ts";
import type { ChangeRow, Entry, ListKind } from "../../../shared/lists/kind.ts";
import { branching, highestLevel, nodesBetween } from "../../../shared/lists/segment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { feeList } from "../../../shared/transactions/fee.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";

const ranges = fc
  .tuple(fc.integer({ min: 1, max: 20_000 }), fc.nat(), fc.nat())
  .map(([blocks, one, other]) => {
    const [first, last] = [one % (blocks + 1), other % (blocks + 1)].toSorted((left, right) => left - right);
    return { blocks, first: first as number, last: last as number };
  });

describe("the nodes of a range of blocks", () => {
  test("add up to each of its blocks once and to no other, each a node of its level", () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 0, max: 8 }), ({ blocks, first, last }, level) => {
        const top = Math.min(level, highestLevel(blocks));
        // Single blocks of a long range would be too many to count here.
        fc.pre(last - first < 2_000 * branching ** top);
        const times = new Int8Array(blocks);
        for (const node of nodesBetween(first, last, blocks, top)) {
          expect(node.level).toBeLessThanOrEqual(top);
          expect(node.first % branching ** node.level).toBe(0);
          expect(node.last).toBe(Math.min(node.first + branching ** node.level, blocks));
          for (let block = node.first; block < node.last; block += 1) {
            times[block] = (times[block] ?? 0) + (node.isSubtracted ? -1 : 1);
          }
        }
        const expected = new Int8Array(blocks).fill(1, first, last);
        expect(Buffer.from(times).equals(Buffer.from(expected))).toBe(true);
      }),
    );
  });

  test("are few: half of `branching` for each level at each end", () => {
    fc.assert(
      fc.property(ranges, ({ blocks, first, last }) => {
        const levels = highestLevel(blocks);
        expect(nodesBetween(first, last, blocks, levels).length).toBeLessThanOrEqual(branching * levels + 1);
      }),
    );
  });

  test("are a single one if the range is everything", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), (blocks) => {
        const level = highestLevel(blocks);
        expect(nodesBetween(0, blocks, blocks, level)).toEqual([
          { level, first: 0, last: blocks, isSubtracted: false },
        ]);
      }),
    );
  });
});

function rowOf(kind: ListKind, entries: readonly Entry[], accountId?: string): ChangeRow {
  const action = listChange({ programId: "prg_1", kind }, entries, accountId);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as ChangeRow;
}

const entryOf = (id: string): Entry => ({ id, createdAt: 1, values: [], weight: 1 });

describe("a change", () => {
  test("is stored where all changes of its record are, so that none is read without the one before", () => {
    for (let record = 0; record < 50; record += 1) {
      const entry = entryOf(newId("transaction"));
      const rows = [[entry], [{ ...entry, weight: -1 }, entry], [{ ...entry, weight: -1 }]];
      for (const kind of [transactionList, feeList])
        expect(new Set(rows.map((entries) => rowOf(kind, entries).pk)).size).toBe(1);
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
        rowOf(kind, [entryOf(newId("transaction"))], newId("card")),
      );
      expect(new Set(rows.map(({ pk }) => pk)).size).toBe(shards);
      const triggers = rows.filter((row) => triggersCompaction(kind, row));
      expect(new Set(triggers.map(({ pk }) => pk)).size).toBe(1);
      expect(triggers.length).toBeGreaterThan(count / 64 / 1.5);
      expect(triggers.length).toBeLessThan((count / 64) * 1.5);
    },
  );
});
