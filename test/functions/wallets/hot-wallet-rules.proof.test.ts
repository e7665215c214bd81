import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { walletShards } from "../../../shared/ledger/hot/shards.ts";
import { mergeShards } from "../../../shared/ledger/hot/split-wallet.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { rejectOverlaps } from "../../harness/conflicts.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenHotWallet } from "./given-hot-wallet.ts";

afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;

// First: a sweep merges what other tests leave.
describe("the shards of a Wallet", () => {
  it("are merged an hour later", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2041, 0, 1) });
    const { programId, transfer, balances, shards, view } = await givenHotWallet(6_500);
    await transfer(10);
    vi.setSystemTime(Date.now() + hour - 1);
    await sweepDeadlines();
    expect(await shards()).toHaveLength(64);
    vi.setSystemTime(Date.now() + 1);
    await sweepDeadlines();
    expect(await shards()).toEqual([]);
    expect(await balances()).toMatchObject({ availableMinor: 6_490, ledgerMinor: 6_490 });
    expect(await view()).toMatchObject({ availableBalance: 6_490 });
    expect((await storedItems(programId)).filter(({ sk }) => sk === "DEADLINE")).toEqual([]);
    expect((await transfer(10)).body.data.transStatus).toBe(1);
  });
});

describe("a hot Wallet", () => {
  it("shows its whole balance alone, in the list and in its proof", async () => {
    const { walletId, call, shards, view } = await givenHotWallet(6_500);
    expect((await shards()).map(({ availableMinor }) => availableMinor)).toEqual(Array(64).fill(100));
    expect(await view()).toMatchObject({ walletId, availableBalance: 6_500, ledgerBalance: 6_500 });
    expect(await view()).not.toHaveProperty("shards");
    const { body } = await call("GET /wallets");
    expect(body.items).toEqual([await view()]);
    const proof = (await call("GET /wallets/{walletId}/balance/proof")).body.data;
    expect(proof).toMatchObject({ proven: true, availableBalance: 6_500, stored: { ledgerBalance: 6_500 } });
  });

  it("is not proven with a cent too much in a shard", async () => {
    const { programId, walletId, call } = await givenHotWallet(6_500);
    await overwrite(walletShards.at(programId, walletId, "7").key, { availableMinor: 101 });
    expect((await call("GET /wallets/{walletId}/balance/proof")).body.data.proven).toBe(false);
  });

  it("declines without a write to any shard", async () => {
    const { programId, transfer, shards } = await givenHotWallet(6_500);
    const before = await shards();
    expect((await transfer(6_501)).body.data.transStatus).toBe(2);
    expect(await shards()).toEqual(before);
    const items = await expectBooksInOrder(programId);
    expect(eventsIn(items).filter(({ kind }) => kind === "transfer.declined")).toHaveLength(1);
  });

  it("is whole before a returned deposit takes it below zero: no shard pays then", async () => {
    const { walletId, transfer, sandbox, split, balances, shards } = await givenHotWallet(6_500);
    const deposit = await sandbox(
      "POST /wallets/{walletId}/deposits",
      { walletId },
      { amount: 1_000, pending: false },
    );
    const { depositId } = deposit.body.data;
    expect((await transfer(7_000)).body.data.transStatus).toBe(1);
    expect((await sandbox("POST /deposits/{depositId}/return", { depositId })).status).toBe(200);
    expect((await balances()).availableMinor).toBe(-500);
    expect(await shards()).toEqual([]);
    expect(await split()).toBe(false);
    expect((await transfer(1)).body.data.transStatus).toBe(2);
  });

  it("keeps its shards for a returned deposit that its own item covers", async () => {
    const { walletId, sandbox, balances, shards } = await givenHotWallet(6_500);
    const deposit = await sandbox(
      "POST /wallets/{walletId}/deposits",
      { walletId },
      { amount: 1_000, pending: false },
    );
    const { depositId } = deposit.body.data;
    expect((await sandbox("POST /deposits/{depositId}/return", { depositId })).status).toBe(200);
    expect((await balances()).availableMinor).toBe(6_500);
    expect(await shards()).toHaveLength(64);
  });
});

describe("a hot Wallet that is paid by many at once", () => {
  it("is read in time, and its balance never falls", async () => {
    const wallet = await givenHotWallet(6_500);
    const payers = await Promise.all(
      Array.from({ length: 12 }, () => givenStoredWallet(wallet.programId, 1_000)),
    );
    // This process learns of the shards.
    await wallet.transfer(150);
    using overlaps = rejectOverlaps();
    let paid = 0;
    let isDone = false;
    const pay = async (sourceWalletId: string) => {
      const between = { sourceWalletId, destinationType: 0, destinationId: wallet.walletId };
      for (; !isDone; paid += 1) {
        expect((await wallet.transfer(1, between)).body.data.transStatus).toBe(1);
        // A transaction holds its items for less than half of the time.
        await pause(50);
      }
    };
    const readings: number[] = [];
    const tookMs: number[] = [];
    const read = async () => {
      while (readings.length < 8) {
        const startedMs = performance.now();
        readings.push((await wallet.view()).availableBalance);
        tookMs.push(performance.now() - startedMs);
      }
    };
    await Promise.all([...payers.map(pay), read().finally(() => (isDone = true))]);
    // Credits wait for a sealed shard: if they went to the Wallet's item, there would be hundreds.
    expect(overlaps.conflicts).toBeLessThan(100);
    expect(readings).toEqual(readings.toSorted((left, right) => left - right));
    expect(Math.max(...tookMs)).toBeLessThan(2_000);
    expect((await wallet.balances()).availableMinor).toBe(6_350 + paid);
  });
});

describe("two hot Wallets that pay each other at once", () => {
  it("pay amounts that no shard has in both directions, in time, and nothing is lost", async () => {
    const one = await givenHotWallet(65_000);
    const two = await givenHotWallet(65_000, one.programId);
    using overlaps = rejectOverlaps();
    const pay = async (from: typeof one, to: typeof one, index: number) => {
      const amount = 2_100 + index;
      const startedMs = performance.now();
      const { status, body } = await from.transfer(amount, {
        destinationType: 0,
        destinationId: to.walletId,
      });
      expect([status, body.data?.transStatus]).toEqual([200, 1]);
      expect(performance.now() - startedMs).toBeLessThan(6_000);
    };
    for (let round = 0; round < 3; round += 1) {
      const eight = Array.from({ length: 8 }, (_, index) => index);
      await Promise.all(eight.flatMap((index) => [pay(one, two, index), pay(two, one, index)]));
    }
    expect(overlaps.conflicts).toBeGreaterThan(10);
    for (const { balances } of [one, two]) expect((await balances()).availableMinor).toBe(65_000);
  });
});

/** Transfers of 10 at once, each to a Card of its own, where overlapping transactions conflict. */
async function crowd(amountMinor: number, count: number) {
  const programId = await givenStoredProgram();
  const walletId = await givenStoredWallet(programId, amountMinor);
  const cardIds = await Promise.all(Array.from({ length: count }, () => givenStoredCard(programId)));
  const send = (destinationId: string) => {
    const body = { sourceWalletId: walletId, destinationType: 1, destinationId, amount: 10 };
    return replay(wallets, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }));
  };
  using overlaps = rejectOverlaps();
  const answers = await Promise.all(cardIds.map(send));
  const conflicts = overlaps.conflicts;
  const again = await Promise.all(cardIds.map(send));
  return { programId, walletId, answers: [...answers, ...again], later: overlaps.conflicts - conflicts };
}

describe("a Wallet that many transfers take from at once", () => {
  it("is split into shards by itself, and has no conflicts from then on", async () => {
    const { programId, walletId, answers, later } = await crowd(100_000, 24);
    expect(answers.map(({ status, body }) => [status, body.data?.transStatus])).toEqual(
      Array(48).fill([200, 1]),
    );
    expect(later).toBe(0);
    const items = await expectBooksInOrder(programId);
    expect(items.filter(({ sk }) => sk === "SHARD")).toHaveLength(64);
    expect(balancesIn(items, walletId).availableMinor).toBe(100_000 - 480);
    expect(eventsIn(items).filter(({ kind }) => kind === "transfer.completed")).toHaveLength(48);
  });

  it("stays whole if a shard could not pay such a transfer, and pays its last cent", async () => {
    const { programId, walletId, answers } = await crowd(480, 24);
    expect(answers.every(({ body }) => body.data?.transStatus === 1)).toBe(true);
    const items = await expectBooksInOrder(programId);
    expect(items.filter(({ sk }) => sk === "SHARD")).toEqual([]);
    expect(balancesIn(items, walletId).availableMinor).toBe(0);
  });
});

describe("merging the shards of a Wallet", () => {
  it("progresses while transfers use all of them", async () => {
    const { programId, account, transfer, balances } = await givenHotWallet(65_000);
    const cardIds = await Promise.all(Array.from({ length: 16 }, () => givenStoredCard(programId)));
    using _overlaps = rejectOverlaps();
    let isMerged = false;
    let transfers = 0;
    const caller = async (destinationId: string) => {
      while (!isMerged) {
        expect((await transfer(1, { destinationId })).body.data.transStatus).toBe(1);
        transfers += 1;
      }
    };
    // Transactions were seen to stay under way in the local engine for eight seconds.
    const merge = withinTime(30_000, () => mergeShards(programId, account)).finally(() => {
      isMerged = true;
    });
    await Promise.all([...cardIds.map(caller), merge]);
    expect((await balances()).availableMinor).toBe(65_000 - transfers);
  });
});
