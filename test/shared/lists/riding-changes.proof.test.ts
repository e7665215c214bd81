import { describe, expect, test } from "vitest";
import { compactLists } from "../../../functions/list-indexer/compact-lists.ts";
import { authorizationList } from "../../../shared/authorizations/holds/history.ts";
import { holdList } from "../../../shared/authorizations/holds/hold.ts";
import { holdListEntry } from "../../../shared/authorizations/holds/hold-rules.ts";
import { EventType } from "../../../shared/contract/enums.ts";
import { ridingLists } from "../../../shared/list-kinds.ts";
import {
  compactedKey,
  compactList,
  compactOldChanges,
  triggersCompaction,
} from "../../../shared/lists/compaction.ts";
import { listChange, listInsert, listUpdate } from "../../../shared/lists/entry.ts";
import { listTotal, seeLists } from "../../../shared/lists/indexed-page.ts";
import { riding, ridingShards, toEntry } from "../../../shared/lists/kind.ts";
import { deleteOldChanges } from "../../../shared/lists/late-changes.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { checkList, rebuildList } from "../../../shared/lists/rebuild.ts";
import {
  newNotificationId,
  notificationList,
  notificationPut,
} from "../../../shared/notifications/notification.ts";
import { readNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { readAllItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { transact, type WriteAction } from "../../../shared/platform/table/transact.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { measure } from "../../harness/measure.ts";
import { storedItems } from "../../harness/stored.ts";
import { eventOf, later, useOwnDays } from "./given-list.ts";

const day = 86_400_000;
useOwnDays(Date.UTC(2034, 5, 1), 300);

const body = JSON.stringify({ text: "sent" });

/** What an authorization or a clearing writes into lists. */
function changesOf(programId: string, cardId: string, heldMinor: number) {
  const createdAt = new Date().toISOString();
  const transId = newId("transaction");
  const transaction = {
    transType: 3,
    transStatus: 2,
    transDate: createdAt,
    amountMinor: 5,
    cardId,
    createdAt,
  };
  const transIdSc = newNotificationId(cardId);
  const rest = { cardId, bodySha256: "0".repeat(64), createdAt };
  return {
    transIdSc,
    transaction: { ...transaction, transId },
    writes: [
      listChange({ programId, kind: holdList }, [holdListEntry(heldMinor)], cardId),
      listInsert(transactionList, programId, transId, transaction),
      listChange(
        { programId, kind: authorizationList },
        [toEntry(authorizationList, `auth-${transId}`, { createdAt, status: "pending", requestedMinor: 5 })],
        cardId,
      ),
      notificationPut({ programId, transIdSc, eventType: EventType.hold, body, ...rest }),
    ] satisfies WriteAction[],
  };
}

const rowsOf = async (programId: string) =>
  (await storedItems(programId)).filter(({ listed }) => listed === riding.listed);

const totals = async (programId: string) => {
  const lists = await seeLists(programId, [transactionList, notificationList, holdList]);
  const together = await Promise.all(lists.map((list) => listTotal(list)));
  const alone = await Promise.all(lists.map(({ kind }) => listTotal({ programId, kind })));
  expect(together).toEqual(alone);
  return together;
};

async function write(programId: string, count: number, heldMinor = 7): Promise<void> {
  for (let done = 0; done < count; done += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - done) }, () =>
        transact(changesOf(programId, newId("card"), heldMinor).writes),
      ),
    );
}

async function compactAll(programId: string): Promise<void> {
  later(60_000);
  for (const kind of ridingLists) await compactList({ programId, kind });
}

describe("the changes of one transaction", () => {
  test("are one row, of two write units, with the notification's body", async () => {
    const programId = newId("program");
    const { writes, transIdSc } = changesOf(programId, newId("card"), 2_500);
    await transact(writes);
    expect(await rowsOf(programId)).toHaveLength(1);
    expect(await totals(programId)).toEqual([1, 1, 2_500]);
    expect(await readNotification(programId, transIdSc)).toMatchObject({ transIdSc, body });
  });

  test("without a notification are one row too; two notifications have each their own", async () => {
    const programId = newId("program");
    const cardId = newId("card");
    const [one, two, three] = [1, 2, 3].map(() => changesOf(programId, cardId, 10).writes);
    await transact(one?.slice(0, 2) ?? []);
    expect(await rowsOf(programId)).toHaveLength(1);
    await transact([...(two ?? []), ...(three?.slice(2) ?? [])]);
    expect(await rowsOf(programId)).toHaveLength(3);
    expect(await totals(programId)).toEqual([2, 2, 20]);
  });

  test("are in the shard of the Card's later changes", async () => {
    const programId = newId("program");
    const { transaction, writes } = changesOf(programId, newId("card"), 10);
    await transact(writes);
    const after = { ...transaction, transStatus: 3 };
    await transact([listUpdate(transactionList, programId, transaction.transId, transaction, after)]);
    expect(new Set((await rowsOf(programId)).map(({ pk }) => pk)).size).toBe(1);
    expect(await totals(programId)).toEqual([1, 1, 10]);
  });

  test("are deleted by nobody, and expire long after their compaction", async () => {
    const programId = newId("program");
    await write(programId, 300);
    await compactAll(programId);
    for (const kind of ridingLists)
      expect((await readManifest({ programId, kind })).segments).toHaveLength(1);
    later(3 * day);
    for (const kind of ridingLists) {
      const list = { programId, kind };
      await deleteOldChanges(list);
      expect(await readAllItems(toPartitionQuery(compactedKey(list, "").pk))).toEqual([]);
    }
    const rows = await rowsOf(programId);
    expect(rows).toHaveLength(300);
    for (const row of rows)
      expect(Number(row.expiresAtSeconds)).toBeGreaterThan((Date.now() + 90 * day) / 1e3);
    expect(await totals(programId)).toEqual([300, 300, 2_100]);
  });
});

test("a batch reads the rows that ride once for all of their lists", async () => {
  const programId = newId("program");
  await write(programId, 300);
  // One of 64 begins a compaction, by its id.
  const begins = async () =>
    (await rowsOf(programId)).some((row) => triggersCompaction(transactionList, row as never));
  while (!(await begins())) await write(programId, 10);
  const event = eventOf((await rowsOf(programId)) as never, new Date());
  later(60_000);
  const { cost } = await measure(() => compactLists(event));
  for (const kind of ridingLists) expect((await readManifest({ programId, kind })).segments).toHaveLength(1);
  const queries = cost.calls.filter((call) => call === "Query");
  // Each list has some of its own, by chance more or fewer: what is old is deleted at times.
  expect(queries.length).toBeGreaterThanOrEqual(ridingShards);
  expect(queries.length).toBeLessThan(ridingLists.length * ridingShards);
});

test("a list that few rows change passes the rows of the others", async () => {
  const programId = newId("program");
  await transact(changesOf(programId, newId("card"), 7).writes);
  for (let done = 0; done < 300; done += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => transact(changesOf(programId, newId("card"), 7).writes.slice(0, 1))),
    );
  await compactAll(programId);
  const { watermark } = await readManifest({ programId, kind: transactionList });
  for (const { sk } of await rowsOf(programId)) expect(String(sk) < watermark).toBe(true);
  expect(await totals(programId)).toEqual([1, 1, 301 * 7]);
});

test("the indexer compacts all lists of a row, and counts a row once that arrives again and late", async () => {
  const programId = newId("program");
  const late = changesOf(programId, newId("card"), 100);
  await write(programId, 600);
  await compactLists(eventOf((await rowsOf(programId)) as never[], new Date()));
  later(60_000);
  await compactLists(eventOf((await rowsOf(programId)) as never[], new Date()));
  for (const kind of ridingLists)
    expect((await readManifest({ programId, kind })).segments.length).toBeGreaterThan(0);
  const before = await rowsOf(programId);
  await transact(late.writes);
  const row = (await rowsOf(programId)).filter(({ sk }) => !before.some((one) => one.sk === sk));
  for (let time = 0; time < 2; time += 1) {
    await compactLists(eventOf([...row, ...before.slice(0, 20)] as never[], new Date()));
    expect(await totals(programId)).toEqual([601, 601, 600 * 7 + 100]);
  }
  expect(await readNotification(programId, late.transIdSc)).toMatchObject({ body });
});

test("a quiet Program's rows are compacted a month later, however few they are", async () => {
  const programId = newId("program");
  await write(programId, 3);
  const list = { programId, kind: transactionList };
  later(29 * day);
  await compactOldChanges(list);
  expect((await readManifest(list)).segments).toEqual([]);
  later(2 * day);
  for (const kind of ridingLists) await compactOldChanges({ programId, kind });
  const rows = await rowsOf(programId);
  await writeBatch(rows.map(({ pk, sk }) => ({ remove: { pk: String(pk), sk: String(sk) } })));
  expect(await totals(programId)).toEqual([3, 3, 21]);
  const { version } = await readManifest(list);
  later(31 * day);
  await compactOldChanges(list);
  expect((await readManifest(list)).version).toBe(version);
});

test("a rebuild of one list leaves the others, and the changes during it", async () => {
  const programId = newId("program");
  const kept = changesOf(programId, newId("card"), 50);
  await transact(kept.writes);
  const list = { programId, kind: transactionList };
  const entries = async () => [toEntry(transactionList, kept.transaction.transId, kept.transaction)];
  await rebuildList(list, entries);
  expect(await totals(programId)).toEqual([1, 1, 50]);
  expect(await checkList(list, entries)).toEqual([]);
});
