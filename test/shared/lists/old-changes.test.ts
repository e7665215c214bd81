import { describe, expect, test } from "vitest";
import { EventType } from "../../../shared/contract/enums.ts";
import { compactedKey, compactList } from "../../../shared/lists/compaction.ts";
import { listTotal } from "../../../shared/lists/indexed-page.ts";
import { type List, riding } from "../../../shared/lists/kind.ts";
import { deleteOldChanges, readChangeRows, rewriteLateChanges } from "../../../shared/lists/late-changes.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import { sumEntries } from "../../../shared/lists/segment.ts";
import { notificationList, notificationPut } from "../../../shared/notifications/notification.ts";
import { readNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { afterAll, type Key } from "../../../shared/platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { storedItems } from "../../harness/stored.ts";
import {
  expectExact,
  type GivenList,
  givenList,
  holdCall,
  later,
  newEntry,
  readList,
  rowOf,
  useOwnDays,
  writeChanges,
} from "./given-list.ts";

const day = 86_400_000;

useOwnDays(Date.UTC(2029, 5, 1), 300);

/** How many changes and records of compactions are stored. */
async function countStored(list: List) {
  const changes = await readChangeRows(list, "", afterAll);
  const compactions = await readAllItems(toPartitionQuery(compactedKey(list, "").pk));
  return [changes.length, compactions.length];
}

/** A list with a compaction, and a change that it missed. */
async function givenMissedChange(): Promise<{ list: GivenList; late: Key }> {
  const list = givenList();
  const entry = newEntry(1);
  const late = rowOf(list, [entry]);
  await compactAfter(list, 600);
  list.written.push(entry);
  await writeBatch([{ put: late }]);
  return { list, late };
}

async function compactAfter(list: GivenList, changes: number): Promise<void> {
  await writeChanges(list, changes);
  later(60_000);
  await compactList(list);
}

const arrive = (list: List, row: Key) =>
  rewriteLateChanges(list, [{ row: row as never, committedAt: Date.now() }]);

describe("changes that are compacted", () => {
  test("count once although they arrive again beside one that is deleted", async () => {
    const list = givenList();
    const [old] = await writeChanges(list, 600);
    later(60_000);
    await compactList(list);
    later(5 * day);
    await deleteOldChanges(list);
    const [recent] = await writeChanges(list, 600);
    later(60_000);
    await compactList(list);
    await rewriteLateChanges(list, [{ row: old as never }, { row: recent as never }]);
    await expectExact(list);
  });

  test("are deleted after two days, with the records of their compactions", async () => {
    const list = givenList();
    await compactAfter(list, 600);
    later(day);
    await compactAfter(list, 700);
    await writeChanges(list, 40);
    await deleteOldChanges(list);
    expect(await countStored(list)).toEqual([1_340, 2]);
    later(day);
    await deleteOldChanges(list);
    expect(await countStored(list)).toEqual([740, 1]);
    await expectExact(list);
    later(30 * day);
    await deleteOldChanges(list);
    expect(await countStored(list)).toEqual([40, 0]);
    await expectExact(list);
    await compactAfter(list, 600);
    await expectExact(list);
  });

  test("are deleted once, however many indexers do it, and if one stops between two calls", async () => {
    const list = givenList();
    await compactAfter(list, 600);
    await compactAfter(list, 600);
    later(3 * day);
    const sleeper = holdCall((input) => input.includes("DeleteRequest") && input.includes("#COMPACTED"));
    const slow = deleteOldChanges(list);
    await sleeper.reached;
    expect(await countStored(list)).toEqual([600, 2]);
    await Promise.all([deleteOldChanges(list), deleteOldChanges(list)]);
    sleeper.release();
    await slow;
    expect(await countStored(list)).toEqual([0, 0]);
    await expectExact(list);
  });

  test("stay if the time of the invocation is up", async () => {
    const list = givenList();
    await compactAfter(list, 600);
    later(3 * day);
    await withinTime(0, () => deleteOldChanges(list));
    expect(await countStored(list)).toEqual([600, 1]);
  });

  test("leave a list that its check finds complete, and its rebuild leaves the same", async () => {
    const list = givenList();
    for (let round = 0; round < 3; round += 1) await compactAfter(list, 600);
    await writeChanges(list, 40);
    later(3 * day);
    await deleteOldChanges(list);
    const records = async () => sumEntries(list.written);
    expect(await checkList(list, records)).toEqual([]);
    expect(await rebuildList(list, records)).toBe(true);
    await expectExact(list);
  });
});

describe("changes that are not compacted", () => {
  test("stay, however old they are: they are the list", async () => {
    const list = givenList();
    await compactAfter(list, 100);
    later(250 * day);
    await deleteOldChanges(list);
    expect(await countStored(list)).toEqual([100, 0]);
    await expectExact(list);
  });

  test("because they came too late count once, although the stream has lost them", async () => {
    const { list } = await givenMissedChange();
    expect((await readList(list)).total).toBe(sumEntries(list.written).length - 1);
    later(3 * day);
    await Promise.all([deleteOldChanges(list), deleteOldChanges(list)]);
    await expectExact(list);
    expect(await countStored(list)).toEqual([1, 0]);
  });

  test("because they came too late count once if they arrive again after their deletion", async () => {
    const { list, late } = await givenMissedChange();
    await arrive(list, late);
    await expectExact(list);
    later(3 * day);
    await deleteOldChanges(list);
    await arrive(list, late);
    await expectExact(list);
    await compactAfter(list, 600);
    await arrive(list, late);
    await expectExact(list);
  });
});

describe("notifications, whose change is their only copy", () => {
  const write = async (programId: string, count: number) => {
    const ids = Array.from({ length: count }, () => newId("notification"));
    const puts = ids.map((transIdSc) => {
      const body = JSON.stringify({ TransId_SC: transIdSc });
      const createdAt = new Date().toISOString();
      const rest = { cardId: newId("card"), bodySha256: "0".repeat(64), createdAt };
      return notificationPut({ programId, transIdSc, eventType: EventType.hold, body, ...rest });
    });
    await writeBatch(puts.map(({ Put }) => ({ put: Put.Item })));
    return ids;
  };

  test("stay until they expire, compacted or not", async () => {
    const list: List = { programId: newId("program"), kind: notificationList };
    const madeAt = Date.now();
    const ids = await write(list.programId, 600);
    later(60_000);
    await compactList(list);
    later(89 * day);
    await deleteOldChanges(list);
    expect(await countStored(list)).toEqual([0, 0]);
    expect(await readNotification(list.programId, ids[0] ?? "")).toMatchObject({ transIdSc: ids[0] });
    expect(await listTotal(list)).toBe(600);
    const rows = (await storedItems(list.programId)).filter(({ listed }) => listed === riding.listed);
    const expiries = rows.map(({ expiresAtSeconds }) => Number(expiresAtSeconds));
    expect(expiries).toHaveLength(600);
    expect(Math.min(...expiries)).toBeGreaterThanOrEqual((madeAt + 100 * day) / 1_000);
  });
});
