import { describe, expect, test, vi } from "vitest";
import { compactList } from "../../../shared/lists/compaction.ts";
import type { ChangeRow, Entry } from "../../../shared/lists/kind.ts";
import { rewriteLateChanges } from "../../../shared/lists/late-changes.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import { sumEntries } from "../../../shared/lists/segment.ts";
import { deleteSegment } from "../../../shared/lists/segment-writer.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  expectedOf,
  type GivenList,
  givenList,
  newEntry,
  readList,
  rowOf,
  useOwnDays,
  writeChanges,
} from "./given-list.ts";

useOwnDays(Date.UTC(2027, 5, 1));

/** A list with a segment and some recent changes. */
async function givenSegment(): Promise<GivenList> {
  const list = givenList();
  await writeChanges(list, 700);
  vi.setSystemTime(Date.now() + 60_000);
  await compactList(list);
  await writeChanges(list, 40);
  return list;
}

const recordsOf = (list: GivenList) => async () => sumEntries(list.written);

describe("the check and the rebuild of a list", () => {
  test("find nothing if nothing is wrong, even while the list changes", async () => {
    const list = await givenSegment();
    const changing = async () => {
      const records = sumEntries(list.written);
      await writeChanges(list, 20);
      return records;
    };
    expect(await checkList(list, changing)).toEqual([]);
    expect(await rebuildList(list, changing)).toBe(true);
    expect(await readList(list)).toEqual(expectedOf(list));
    expect(await checkList(list, recordsOf(list))).toEqual([]);
  });

  test("go on for longer than a request while others change the list's manifest", async () => {
    const list = await givenSegment();
    const now = performance.now.bind(performance);
    let passedMs = 0;
    using _now = vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems" || passedMs >= 15_000) return undefined;
      passedMs += 5_000;
      return "conflict";
    });
    expect(await rebuildList(list, recordsOf(list))).toBe(true);
    expect(passedMs).toBe(15_000);
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test("find missing and surplus entries, and repair them", async () => {
    const list = await givenSegment();
    const [lacking, surplus] = [newEntry(1), newEntry(2)];
    list.written.push(lacking);
    await writeBatch([{ put: rowOf(list, [surplus]) }]);
    const found = await checkList(list, recordsOf(list));
    expect(found.map(({ id, weight }) => [id, weight]).toSorted()).toEqual(
      [
        [lacking.id, 1],
        [surplus.id, -1],
      ].toSorted(),
    );
    await rebuildList(list, recordsOf(list));
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test("ignore a record that changes and changes back meanwhile", async () => {
    const list = await givenSegment();
    const first = sumEntries(list.written)[5] as Entry;
    const other: Entry = { ...first, values: [18, 2, ...first.values.slice(2)] };
    const change = async (from: Entry, to: Entry) => {
      const entries = [{ ...from, weight: -1 }, to];
      await writeBatch([{ put: rowOf(list, entries) }]);
      list.written.push(...entries);
    };
    const readMeanwhile = async () => {
      await change(first, other);
      const records = sumEntries(list.written);
      await change(other, first);
      return records;
    };
    expect(await checkList(list, readMeanwhile)).toEqual([]);
    await rebuildList(list, readMeanwhile);
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test.each(["long before the records are read", "while they are read", "after they were"])(
    "count a change once that commits late, %s, and arrives through the stream afterwards",
    async (when) => {
      const list = givenList();
      const entry = newEntry(1);
      const late = rowOf(list, [entry]) as ChangeRow & Key;
      await writeChanges(list, 600);
      vi.setSystemTime(Date.now() + 60_000);
      await compactList(list);
      const commit = async () => {
        await writeBatch([{ put: late }]);
        list.written.push(entry);
      };
      if (when.startsWith("long before")) {
        await commit();
        vi.setSystemTime(Date.now() + 3 * 3_600_000);
      }
      await rebuildList(list, async () => {
        if (when.startsWith("while")) await commit();
        const records = sumEntries(list.written);
        if (when.startsWith("after")) await commit();
        return records;
      });
      await rewriteLateChanges(list, [{ row: late }]);
      expect(await readList(list)).toEqual(expectedOf(list));
    },
  );

  test("restore a lost segment", async () => {
    const list = await givenSegment();
    for (const segment of (await readManifest(list)).segments) {
      for await (const _ of deleteSegment(list, segment, 0));
    }
    await expect(readList(list)).rejects.toThrow("does not exist");
    await rebuildList(list, recordsOf(list));
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test("keep compactions away until the rebuild ends", async () => {
    const list = await givenSegment();
    await rebuildList(list, async () => {
      await writeChanges(list, 600);
      vi.setSystemTime(Date.now() + 60_000);
      const { version } = await readManifest(list);
      await compactList(list);
      expect(await readManifest(list)).toMatchObject({ version });
      expect(await readList(list)).toEqual(expectedOf(list));
      return sumEntries(list.written);
    });
    expect(await readList(list)).toEqual(expectedOf(list));
    await compactList(list);
    expect(await readList(list)).toEqual(expectedOf(list));
    expect((await readManifest(list)).segments.length).toBeGreaterThan(1);
  });
});
