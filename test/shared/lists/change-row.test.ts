import { describe, expect, test } from "vitest";
import { type ChangeRow, changePut, wakes } from "../../../shared/lists/change-row.ts";
import type { Entry } from "../../../shared/lists/entry.ts";
import type { ListedKind } from "../../../shared/lists/listed-kind.ts";
import { newId } from "../../../shared/platform/id.ts";

function rowOf(kind: ListedKind, entries: readonly Entry[]): ChangeRow {
  const action = changePut({ programId: "prg_1", kind }, entries);
  if (!("Put" in action)) throw new Error("A change is written by a put.");
  return action.Put.Item as ChangeRow;
}

const entryOf = (id: string): Entry => ({ id, createdAt: 1, values: [], weight: 1 });

describe("a change", () => {
  test("waits where all changes of its record do, so that none is read without the one before", () => {
    for (let record = 0; record < 50; record += 1) {
      const entry = entryOf(newId("transaction"));
      const rows = [[entry], [{ ...entry, weight: -1 }, entry], [{ ...entry, weight: -1 }]];
      expect(new Set(rows.map((entries) => rowOf("transactions", entries).pk)).size).toBe(1);
    }
  });

  test.each([
    ["transactions", 16],
    ["fees", 16],
    ["cards", 1],
    ["cardholders", 1],
    ["holds", 16],
  ] as const)("of %s is one of %i partitions, and one of 64 wakes, in one partition", (kind, partitions) => {
    const count = 12_800;
    const rows = Array.from({ length: count }, () =>
      rowOf(kind, [entryOf(kind === "holds" ? "held" : newId("transaction"))]),
    );
    expect(new Set(rows.map(({ pk }) => pk)).size).toBe(partitions);
    const waking = rows.filter(wakes);
    expect(new Set(waking.map(({ pk }) => pk)).size).toBe(1);
    expect(waking.length).toBeGreaterThan(count / 64 / 1.5);
    expect(waking.length).toBeLessThan((count / 64) * 1.5);
  });
});
