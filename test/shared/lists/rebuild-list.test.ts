import { describe, expect, test, vi } from "vitest";
import type { ChangeRow } from "../../../shared/lists/change-row.ts";
import { type Entry, summed } from "../../../shared/lists/entry.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild-list.ts";
import { rescueLate } from "../../../shared/lists/rescue-late.ts";
import { deleteRun } from "../../../shared/lists/stored-parts.ts";
import { takeIn } from "../../../shared/lists/take-in.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { writeBatch } from "../../../shared/platform/table/write-batch.ts";
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

/** A list with a run and some fresh changes. */
async function givenRun(): Promise<GivenList> {
  const list = givenList();
  await writeChanges(list, 700);
  vi.setSystemTime(Date.now() + 60_000);
  await takeIn(list);
  await writeChanges(list, 40);
  return list;
}

const recordsOf = (list: GivenList) => async () => summed(list.written);

describe("the check and the rebuild of a list", () => {
  test("find nothing where nothing is wrong, though it changes meanwhile", async () => {
    const list = await givenRun();
    const changing = async () => {
      const records = summed(list.written);
      await writeChanges(list, 20);
      return records;
    };
    expect(await checkList(list, changing)).toEqual([]);
    expect(await rebuildList(list, changing)).toBe(true);
    expect(await readList(list)).toEqual(expectedOf(list));
    expect(await checkList(list, recordsOf(list))).toEqual([]);
  });

  test("tell what the list lacks and what it has too much of, and mend it", async () => {
    const list = await givenRun();
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

  test("are not misled by a record that changes and changes back meanwhile", async () => {
    const list = await givenRun();
    const first = summed(list.written)[5] as Entry;
    const other: Entry = { ...first, values: [18, 2, ...first.values.slice(2)] };
    const change = async (from: Entry, to: Entry) => {
      const entries = [{ ...from, weight: -1 }, to];
      await writeBatch([{ put: rowOf(list, entries) }]);
      list.written.push(...entries);
    };
    const readMeanwhile = async () => {
      await change(first, other);
      const records = summed(list.written);
      await change(other, first);
      return records;
    };
    expect(await checkList(list, readMeanwhile)).toEqual([]);
    await rebuildList(list, readMeanwhile);
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test.each(["long before the records are read", "while they are read", "after they were"])(
    "count once what was committed late, %s, and is told of afterwards",
    async (when) => {
      const list = givenList();
      const entry = newEntry(1);
      const late = rowOf(list, [entry]) as ChangeRow & Key;
      await writeChanges(list, 600);
      vi.setSystemTime(Date.now() + 60_000);
      await takeIn(list);
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
        const records = summed(list.written);
        if (when.startsWith("after")) await commit();
        return records;
      });
      await rescueLate(list, [{ row: late }]);
      expect(await readList(list)).toEqual(expectedOf(list));
    },
  );

  test("bring back a run that was lost", async () => {
    const list = await givenRun();
    for (const run of (await readManifest(list)).runs) await deleteRun(list, run);
    await expect(readList(list)).rejects.toThrow("is not there");
    await rebuildList(list, recordsOf(list));
    expect(await readList(list)).toEqual(expectedOf(list));
  });

  test("let nobody take in changes in between, and everybody afterwards", async () => {
    const list = await givenRun();
    await rebuildList(list, async () => {
      await writeChanges(list, 600);
      vi.setSystemTime(Date.now() + 60_000);
      const { version } = await readManifest(list);
      await takeIn(list);
      expect(await readManifest(list)).toMatchObject({ version });
      expect(await readList(list)).toEqual(expectedOf(list));
      return summed(list.written);
    });
    expect(await readList(list)).toEqual(expectedOf(list));
    await takeIn(list);
    expect(await readList(list)).toEqual(expectedOf(list));
    expect((await readManifest(list)).runs.length).toBeGreaterThan(1);
  });
});
