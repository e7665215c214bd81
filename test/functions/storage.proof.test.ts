import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { handler as deadlines } from "../../functions/deadlines/handler.ts";
import { compactLists } from "../../functions/list-indexer/compact-lists.ts";
import { lambdaContext } from "../harness/replay.ts";
import { allStoredItems, deleteExpired, type StoredItem } from "../harness/stored.ts";
import { eventOf } from "../shared/lists/given-list.ts";
import { findDescription, useThePlatform } from "./described-storage.ts";

const start = Date.UTC(2026, 11, 1);
const day = 86_400_000;

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
    expect([...names]).toEqual(expect.arrayContaining(["#CHANGES#", "CHALLENGE", "IDEMPOTENCY", "OUTBOX"]));
  });

  it("does not grow on an idle platform, and nothing that expires is left after 200 days", async () => {
    const indexed = new Set<string>();
    const counts: number[] = [];
    for (let days = 1; days <= 200; days += days < 10 ? 1 : 10) {
      vi.setSystemTime(start + days * day);
      await deadlines({}, { ...lambdaContext, getRemainingTimeInMillis: () => 60_000 });
      const changes = (await allStoredItems()).filter(({ sk, listed }) => listed && !indexed.has(sk));
      for (const { sk } of changes) indexed.add(sk);
      await compactLists(eventOf(changes));
      await deleteExpired();
      counts.push((await allStoredItems()).length);
    }
    // Until the tenth day, holds expire and deposits clear, which are events like any other.
    const later = counts.slice(9);
    expect(later).toEqual(later.toSorted((left, right) => right - left));
    expect(later.at(-1)).toBeLessThan(later[0] ?? 0);
    const left = (await allStoredItems()).map((item) => findDescription(item));
    expect(left.filter((one) => one?.heading === "Expiring").map((one) => one?.name)).toEqual([]);
  });
});
