import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compactLists } from "../../functions/list-indexer/compact-lists.ts";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { scheduleDeletes } from "../../shared/reports/schedule.ts";
import { doJob } from "../harness/given-jobs.ts";
import { allStoredItems, deleteExpired, eventsIn, type StoredItem } from "../harness/stored.ts";
import { sweepDeadlines } from "../harness/sweep-deadlines.ts";
import { eventOf } from "../shared/lists/given-list.ts";
import { findDescription, useThePlatform } from "./described-storage.ts";

const start = Date.UTC(2026, 11, 1);
const day = 86_400_000;
// Every case of the contract, then each day all of its 10,000 items three times: two minutes where
// the machine is busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** In this order: the platform is used, and then left alone. */
describe("what is stored", () => {
  let items: StoredItem[];

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    await useThePlatform();
    items = await allStoredItems();
  });
  afterAll(() => void vi.useRealTimers());

  it("expires after the time that docs/storage.md gives, and never if it is kept for good", () => {
    expect(items.filter((item) => !findDescription(item))).toEqual([]);
    for (const item of items) {
      const { heading, kept = "", name } = findDescription(item) ?? {};
      if (heading === "Kept for good") expect(item).not.toHaveProperty("expiresAtSeconds");
      if (heading !== "Expiring") continue;
      const [, days = 0, hours = 0] = /^(?:(\d+) days|(\d+) hours)$/.exec(kept) ?? [];
      const seconds = Number(days) * 86_400 + Number(hours) * 3_600;
      const expected = seconds > 0 ? start / 1_000 + seconds : expect.any(Number);
      expect([name, item.expiresAtSeconds]).toEqual([name, expected]);
    }
    const expiring = items.filter(({ expiresAtSeconds }) => expiresAtSeconds !== undefined);
    const names = new Set(expiring.map((item) => findDescription(item)?.name));
    expect([...names]).toEqual(expect.arrayContaining(["#RIDING#", "CHALLENGE", "IDEMPOTENCY", "OUTBOX"]));
  });

  it("does not grow on an idle platform, and nothing that expires is left after 1,300 days", async () => {
    await endReports();
    const indexed = new Set<string>();
    const countAt = async (days: number) => {
      vi.setSystemTime(start + days * day);
      await sweepDeadlines();
      const changes = (await allStoredItems()).filter(({ sk, listed }) => listed && !indexed.has(sk));
      for (const { sk } of changes) indexed.add(sk);
      await compactLists(eventOf(changes));
      await deleteExpired();
      return (await allStoredItems()).length;
    };
    // Events like any other: in ten days holds expire and deposits clear, in 120 disputes end.
    for (const days of [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 40, 90, 125]) await countAt(days);
    const counts: number[] = [];
    for (const days of [130, 140, 150, 200, 250, 300, 400, 600, 800, 1_100, 1_200, 1_300]) {
      counts.push(await countAt(days));
    }
    expect(counts).toEqual(counts.toSorted((left, right) => right - left));
    expect(counts.at(-1)).toBeLessThan(counts[0] ?? 0);
    const left = (await allStoredItems()).map((item) => findDescription(item));
    expect(left.filter((one) => one?.heading === "Expiring").map((one) => one?.name)).toEqual([]);
  });
});

/** Schedules are orders for more reports, and reports that are asked for wait for their job. */
async function endReports(): Promise<void> {
  for (const { pk, sk } of (await allStoredItems()).filter(({ sk }) => sk.startsWith("SCHEDULE#"))) {
    const [programId = ""] = pk.split("#");
    await transact(scheduleDeletes(programId, sk.replace("SCHEDULE#", "")));
  }
  const requested = eventsIn(await allStoredItems()).filter(({ kind }) => kind === "report.requested");
  for (const event of requested) await doJob(OutboxEvent.parse(event));
  expect((await allStoredItems()).filter(({ pk }) => pk.includes("#OPEN_REPORTS#"))).toEqual([]);
}
