import { afterEach, expect, it, vi } from "vitest";
import { nextRidingDeadline } from "../../../shared/lists/compaction.ts";
import { listTotal } from "../../../shared/lists/list-page.ts";
import { readManifest } from "../../../shared/lists/store.ts";
import { notificationList } from "../../../shared/notifications/notification.ts";
import { deadlinePut, deadlines } from "../../../shared/platform/deadlines.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { holdList } from "../../../shared/transactions/transaction.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

const day = 86_400_000;

afterEach(() => void vi.useRealTimers());

it("a quiet Program's changes are compacted each month, before they expire", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2090, 0, 1) });
  const { programId, apply } = await givenNetwork();
  const deadline = nextRidingDeadline(programId, new Date(Date.now() - 2 * day));
  await transact([deadlinePut(deadline)]);
  await apply({ kind: "authorization", authorizationId: "A", amount: 700 });
  await apply({ kind: "clearing", authorizationId: "A", amount: 700 });
  const list = { programId, kind: notificationList };
  for (const [days, segments] of [
    [28, 0],
    [30, 1],
  ] as const) {
    vi.setSystemTime(Date.now() + days * day + 60_000);
    await sweepDeadlines();
    expect((await readManifest(list)).segments).toHaveLength(segments);
  }
  expect(await listTotal(list)).toBe(2);
  expect(await listTotal({ programId, kind: holdList })).toBe(0);
  const next = await deadlines.at(programId, deadline.deadlineId).get();
  expect(Date.parse(next?.dueAt.split("#")[0] ?? "")).toBeGreaterThan(Date.now() + 29 * day);
});
