import { afterEach, describe, expect, it, vi } from "vitest";
import { executeDeadline } from "../../../functions/deadlines/sweep.ts";
import { walkChanges } from "../../../functions/deadlines/walk-changes.ts";
import { holdList, holds } from "../../../shared/authorizations/holds/hold.ts";
import { changesWalkId } from "../../../shared/lists/compaction.ts";
import { listTotal } from "../../../shared/lists/indexed-page.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { notificationList } from "../../../shared/notifications/notification.ts";
import { type DueDeadline, deadlines, dueDeadlines } from "../../../shared/platform/deadlines.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { injectFaults } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenWalk } from "../../harness/given-walk.ts";
import { measure } from "../../harness/measure.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

const day = 86_400_000;
/** Cards expire in 2099. */
let year = 2060;

afterEach(() => void vi.useRealTimers());

const pass = (days: number) => vi.setSystemTime(Date.now() + days * day);

async function given() {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 0, 1) });
  const network = await givenNetwork({ availableMinor: 1_000_000 });
  const { programId } = network;
  await givenWalk(programId, new Date());
  const dueOf = async (authorizationId: string) => {
    const hold = await holds.at(programId, authorizationId).get();
    return hold?.dueAt?.split("#")[0];
  };
  return {
    ...network,
    dueOf,
    hold: (authorizationId: string) => network.apply({ kind: "authorization", authorizationId, amount: 100 }),
    /** As a sweep reads it. */
    walk: async (): Promise<DueDeadline> => {
      for await (const one of dueDeadlines("normal", new Date("2800-01-01")))
        if (one.kind === "walk_changes" && one.ownerId === programId) return one;
      throw new Error("The Program has no walk.");
    },
  };
}

const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

describe("the walk of a Program's changes", () => {
  it("gives its deadline to a hold that is open after four days, and to no other", async () => {
    const { apply, hold, dueOf, balances } = await given();
    const expiry = inDays(7);
    await hold("open");
    await hold("cleared");
    expect(await dueOf("open")).toBeUndefined();
    pass(3.5);
    await hold("young");
    await apply({ kind: "clearing", authorizationId: "cleared", amount: 100 });
    await sweepDeadlines();
    expect(await dueOf("open")).toBeUndefined();
    pass(1);
    await sweepDeadlines();
    expect(await dueOf("open")).toBe(expiry);
    expect(await dueOf("cleared")).toBeUndefined();
    expect(await dueOf("young")).toBeUndefined();
    pass(4);
    await sweepDeadlines();
    expect(await dueOf("young")).toBe(inDays(2));
    expect(await balances()).toEqual([999_800, 100, 999_900]);
  });

  it("finds a hold of a Program in which nothing else happens for a year", async () => {
    const { hold, balances } = await given();
    for (let days = 0; days < 360; days += 40) {
      pass(40);
      await sweepDeadlines();
    }
    await hold("late");
    for (const days of [5, 2]) {
      pass(days);
      await sweepDeadlines();
    }
    expect(await balances()).toEqual([1_000_000, 0, 1_000_000]);
  });

  it("leaves the deadline to a hold that an increment opens anew after its walk", async () => {
    const { apply, hold, dueOf } = await given();
    await hold("A");
    pass(5);
    await sweepDeadlines();
    expect(await dueOf("A")).toBe(inDays(2));
    await apply({ kind: "authorization_incremental", authorizationId: "A", amount: 50 });
    expect(await dueOf("A")).toBe(inDays(2));
    await apply({ kind: "authorization_reversal", authorizationId: "A", amount: 150 });
    expect(await dueOf("A")).toBeUndefined();
    await apply({ kind: "authorization_incremental", authorizationId: "A", amount: 50 });
    const expiry = inDays(7);
    pass(5);
    await sweepDeadlines();
    expect(await dueOf("A")).toBe(expiry);
  });

  it("that is killed between two writes is repeated, and so is a whole one, by two at once", async () => {
    const { hold, dueOf, walk, programId } = await given();
    for (const id of ["A", "B", "C"]) await hold(id);
    const expiry = inDays(7);
    pass(5);
    const read = await walk();
    let writes = 0;
    {
      // Of the three updates one is written, and the walk's own place is not.
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" || (command === "UpdateItem" && ++writes > 1)
          ? "server-error"
          : undefined,
      );
      expect(await executeDeadline(read)).toBe(false);
    }
    const found = async () => (await Promise.all(["A", "B", "C"].map(dueOf))).filter((due) => due === expiry);
    expect((await found()).length).toBeLessThan(3);
    await Promise.all([walkChanges(read), walkChanges(read)]);
    expect(await found()).toHaveLength(3);
    const versions = await Promise.all(
      ["A", "B", "C"].map(async (id) => (await holds.at(programId, id).get())?.version),
    );
    expect(versions).toEqual([2, 2, 2]);
    await overwrite(deadlines.key(programId, changesWalkId(programId)), { walkedTo: "" });
    await walkChanges(await walk());
    expect(await found()).toHaveLength(3);
  });

  it("and an event of the network that come at once both count", async () => {
    const { apply, hold, dueOf, walk, balances } = await given();
    await hold("A");
    const expiry = inDays(7);
    pass(5);
    const read = await walk();
    const increments = Array.from({ length: 5 }, () =>
      apply({ kind: "authorization_incremental", authorizationId: "A", amount: 10 }),
    );
    await Promise.all([walkChanges(read), ...increments]);
    expect(await dueOf("A")).toBe(expiry);
    expect(await balances()).toEqual([999_850, 150, 1_000_000]);
  });

  it("goes on with the next sweep if its time is up", async () => {
    const { hold, walk, programId } = await given();
    for (let n = 0; n < 150; n += 1) await hold(`A${n}`);
    const found = async () => {
      const all = await Promise.all(
        Array.from({ length: 150 }, (_, n) => holds.at(programId, `A${n}`).get()),
      );
      return all.filter((one) => one?.dueAt !== undefined).length;
    };
    pass(5);
    {
      // The Card's first hundred rows take a second.
      using _ = injectFaults(({ command }) => {
        const endMs = performance.now() + 1_000;
        while (command === "BatchGetItem" && performance.now() < endMs);
        return undefined;
      });
      await withinTime(500, async () => walkChanges(await walk()));
    }
    expect(await found()).toBeGreaterThan(90);
    expect(await found()).toBeLessThan(150);
    const next = await walk();
    expect(next.dueAt).toEqual(new Date());
    await walkChanges(next);
    expect(await found()).toBe(150);
    expect((await walk()).dueAt).toEqual(new Date(inDays(1)));
  });

  it("costs a hold that has ended no write", async () => {
    const { apply, hold, walk } = await given();
    for (const id of ["A", "B"]) await hold(id);
    for (const id of ["A", "B"]) await apply({ kind: "clearing", authorizationId: id, amount: 100 });
    pass(5);
    const read = await walk();
    const { cost } = await measure(() => walkChanges(read));
    // The walk's own place, in the table and in the index of deadlines.
    expect(cost.writeUnits).toBe(4);
  });
});

it("a quiet Program's changes are compacted each month, before they expire", async () => {
  const { programId, apply } = await given();
  await apply({ kind: "authorization", authorizationId: "A", amount: 700 });
  await apply({ kind: "clearing", authorizationId: "A", amount: 700 });
  const list = { programId, kind: notificationList };
  for (const [days, segments] of [
    [1, 0],
    [28, 0],
    [3, 1],
  ] as const) {
    pass(days);
    await sweepDeadlines();
    expect((await readManifest(list)).segments).toHaveLength(segments);
  }
  expect(await listTotal(list)).toBe(2);
  expect(await listTotal({ programId, kind: holdList })).toBe(0);
});
