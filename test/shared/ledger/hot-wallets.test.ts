import { afterEach, describe, expect, it, test, vi } from "vitest";
import type { AccountBalances, AccountChange } from "../../../shared/ledger/account.ts";
import {
  forgetHotWallet,
  getHotWallet,
  HotWallet,
  learnHotWallet,
} from "../../../shared/ledger/hot/known-wallets.ts";
import { mayUseShards } from "../../../shared/ledger/hot/shards.ts";
import { zeroBalances } from "../../../shared/ledger/postings.ts";
import { atLeast } from "../../../shared/platform/table/condition.ts";

test("a function that has not opened the door to hot Wallets moves no money", async () => {
  // Another instance of the module: this process's own is open.
  const closed = "../../../shared/ledger/hot-wallets.ts?closed";
  const { requireHotWallets }: typeof import("../../../shared/ledger/hot-wallets.ts") = await import(closed);
  expect(requireHotWallets).toThrow("the door to hot Wallets is not open");
});

describe("a change of a hot Wallet", () => {
  it.each<[boolean, Partial<AccountBalances>, Partial<AccountChange>]>([
    [true, { availableMinor: 1 }, {}],
    [true, { heldMinor: 1 }, {}],
    [true, { heldMinor: -1 }, {}],
    [true, { availableMinor: -1 }, { isCovered: true }],
    [true, { availableMinor: -1, heldMinor: 1 }, { isCovered: true }],
    [false, {}, {}],
    [false, {}, { isCovered: true }],
    [false, { heldMinor: 1 }, { isCovered: true }],
    [false, { availableMinor: -1 }, {}],
    [false, { availableMinor: -1, heldMinor: 1 }, {}],
    [false, { availableMinor: 1, pendingDepositMinor: -1 }, {}],
    [false, { availableMinor: 1 }, { require: { availableMinor: atLeast(1) } }],
    [false, { availableMinor: 1 }, { balances: {} }],
    [false, { availableMinor: 1 }, { set: {} }],
  ])("is made in one of its shards: %s, of %o with %o", (expected, balances, change) => {
    expect(mayUseShards(change as AccountChange, { ...zeroBalances, ...balances })).toBe(expected);
  });
});

describe("what a process knows of a hot Wallet", () => {
  afterEach(() => void vi.useRealTimers());
  const taken = (wallet: HotWallet, count: number) => Array.from({ length: count }, () => wallet.take());

  it("uses each shard once at a time, then any: first the one that went well, last the one that did not", () => {
    const wallet = new HotWallet(3);
    const [first = "", second = "", third = ""] = taken(wallet, 3);
    expect([first, second, third].toSorted()).toEqual(["1", "2", "3"]);
    for (const one of taken(wallet, 50)) expect(["1", "2", "3"]).toContain(one);
    wallet.giveBack(first, true);
    wallet.giveBack(second, false);
    wallet.giveBack(third, true);
    wallet.giveBack(second, true);
    expect(taken(wallet, 3)).toEqual([third, first, second]);
  });

  it("is what each part has, once all were read, and for a second", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const wallet = new HotWallet(1);
    expect([wallet.seen, wallet.isRecent, wallet.nextMinor]).toEqual([undefined, false, undefined]);
    wallet.seeMoved(new Map([["1", 5]]));
    expect([wallet.seen, wallet.nextMinor]).toEqual([undefined, undefined]);
    wallet.seeAll(
      new Map([
        ["", 7],
        ["1", 10],
      ]),
    );
    wallet.seeMoved(
      new Map([
        ["1", -4],
        ["2", 3],
      ]),
    );
    expect(wallet.seen).toEqual(
      new Map([
        ["", 7],
        ["1", 6],
      ]),
    );
    expect(wallet.nextMinor).toBe(6);
    vi.advanceTimersByTime(999);
    expect(wallet.isRecent).toBe(true);
    vi.advanceTimersByTime(1);
    expect(wallet.isRecent).toBe(false);
    expect(wallet.seen).toBeDefined();
  });

  it("is kept as long as it has as many shards; its epoch rises only", () => {
    const stored = (shards: number, epoch: number) => ({ shards, epoch }) as never;
    const wallet = learnHotWallet("w", stored(4, 3));
    expect(learnHotWallet("w", stored(4, 2))).toBe(wallet);
    expect([wallet.epoch, wallet.shards, getHotWallet("w")]).toEqual([3, 4, wallet]);
    expect(learnHotWallet("w", stored(4, 5)).epoch).toBe(5);
    const other = learnHotWallet("w", stored(8, 1));
    expect([other.epoch, other.shards, getHotWallet("w")]).toEqual([1, 8, other]);
    forgetHotWallet("w");
    expect(getHotWallet("w")).toBeUndefined();
  });

  it("is awaited once for all until an epoch begins, and by each alone where that has begun", async () => {
    const wallet = new HotWallet(1);
    wallet.epoch = 2;
    const wait = vi.fn(async () => undefined);
    await Promise.all([wallet.awaitEpoch(wait, 3), wallet.awaitEpoch(wait, 3)]);
    expect(wait).toHaveBeenCalledTimes(1);
    await Promise.all([wallet.awaitEpoch(wait, 2), wallet.awaitEpoch(wait, 2)]);
    await wallet.awaitEpoch(wait, 3);
    expect(wait).toHaveBeenCalledTimes(4);
    wait.mockRejectedValueOnce(new Error("The time is up."));
    expect(await Promise.all([wallet.awaitEpoch(wait, 3), wallet.awaitEpoch(wait, 3)])).toEqual([
      undefined,
      undefined,
    ]);
    expect(wallet.opening).toBeUndefined();
  });
});
