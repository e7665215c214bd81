import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { compactList } from "../../../shared/lists/compaction.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { readChanges } from "../../../shared/lists/store.ts";
import { notificationList, notificationPut } from "../../../shared/notifications/notification.ts";
import { readNotificationPage } from "../../../shared/notifications/notification-page.ts";
import { newId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { measure } from "../../harness/measure.ts";
import { later, useOwnDays } from "./given-list.ts";

useOwnDays(Date.UTC(2024, 5, 1));

/** As large as those of holds when they are packed. */
const body = JSON.stringify({ text: randomBytes(165).toString("hex") });

async function write(programId: string, count: number): Promise<void> {
  const puts = Array.from({ length: count }, () => {
    const transIdSc = newId("notification");
    const rest = { cardId: newId("card"), bodySha256: randomBytes(32).toString("hex") };
    const createdAt = new Date().toISOString();
    return notificationPut({ programId, transIdSc, eventType: 1, body, createdAt, ...rest });
  });
  await writeBatch(puts.map(({ Put }) => ({ put: Put.Item })));
}

test("a page of notifications reads few of the changes that hold their bodies", async () => {
  const programId = newId("program");
  const list = { programId, kind: notificationList };
  const query = { orderBy: "dateCreated", sort: "desc", limit: 50, offset: 0 } as const;
  await write(programId, 255);
  later(60_000);
  await compactList(list);
  const uncompacted = await measure(() => readNotificationPage(programId, query));
  expect(uncompacted.result.total).toBe(255);
  expect(uncompacted.cost.readUnits).toBeLessThanOrEqual(60);
  await write(programId, 300);
  later(60_000);
  await compactList(list);
  expect(await readChanges(list, (await readManifest(list)).watermark)).toEqual([]);
  const compacted = await measure(() => readNotificationPage(programId, query));
  expect(compacted.result.total).toBe(555);
  expect(compacted.cost.readUnits).toBeLessThanOrEqual(20);
});
