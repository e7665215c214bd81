import { describe, expect, it } from "vitest";
import { accountAt } from "../../../shared/ledger/account.ts";
import { sealShards } from "../../../shared/ledger/hot/sealing.ts";
import { walletShards } from "../../../shared/ledger/hot/shards.ts";
import { mergeShards } from "../../../shared/ledger/hot/split-wallet.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { ContendedError } from "../../../shared/platform/table/retry.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { wallets as storedWallets } from "../../../shared/wallets/wallet.ts";
import { injectFaults, interrupt, interruptEach } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { conflictingReads, givenHotWallet } from "./given-hot-wallet.ts";

const readStored = (programId: string, accountId: string) =>
  accountAt(programId, { kind: "wallet", accountId }).get();

describe("a reading of a hot Wallet", () => {
  it("includes a deposit that arrives before it, and the transfer is approved", async () => {
    const { walletId, transfer, sandbox, balances } = await givenHotWallet(6_500);
    const body = { amount: 1, pending: false };
    const deposit = () => sandbox("POST /wallets/{walletId}/deposits", { walletId }, body);
    using _ = interrupt((command) => command === "TransactGetItems", deposit);
    expect((await transfer(6_501)).body.data.transStatus).toBe(1);
    expect((await balances()).availableMinor).toBe(0);
  });

  it("seals the shards if they are never at rest: a transfer waits for it, and is not in its result", async () => {
    const { programId, walletId, transfer, view, balances } = await givenHotWallet(6_500);
    let transferred: Promise<unknown> = Promise.resolve();
    // More than the Wallet's own part: from now on, this process uses shards.
    await transfer(150);
    const isResult = (command: string, input: string) =>
      command === "UpdateItem" && input.includes('"reading"');
    {
      using _faults = conflictingReads();
      using _ = interrupt(isResult, async () => {
        transferred = transfer(10);
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
      expect((await view()).availableBalance).toBe(6_350);
    }
    await transferred;
    expect((await balances()).availableMinor).toBe(6_340);
    expect((await storedWallets.at(programId, walletId).get())?.shards).toBe(64);
  });

  it("is repeated if another change begins the epoch before it", async () => {
    const { programId, walletId, account, transfer, view } = await givenHotWallet(6_500);
    const isResult = (command: string, input: string) =>
      command === "UpdateItem" && input.includes('"reading"');
    using _faults = conflictingReads();
    using _ = interrupt(isResult, async () => {
      const epoch = (await readStored(programId, walletId))?.epoch;
      await overwrite(storedWallets.at(programId, walletId).key, { epoch: Number(epoch) + 1 });
      await transfer(10);
    });
    expect((await view()).availableBalance).toBe(6_490);
    expect((await readAccount(programId, account))?.availableMinor).toBe(6_490);
  });

  it("leaves transfers 60 ms after a sealing of others that stored no result", async () => {
    const { programId, walletId, view } = await givenHotWallet(6_500);
    let begunMs = 0;
    const pauses: number[] = [];
    using _faults = injectFaults(({ command, input }) => {
      if (command === "TransactGetItems") return "conflict";
      if (String(input.UpdateExpression).includes("#sealing") && begunMs > 0)
        pauses.push(performance.now() - begunMs);
      return undefined;
    });
    const isResult = (command: string, input: string) =>
      command === "UpdateItem" && input.includes('"reading"');
    using _ = interrupt(isResult, async () => {
      const epoch = (await readStored(programId, walletId))?.epoch;
      await overwrite(storedWallets.at(programId, walletId).key, { epoch: Number(epoch) + 1 });
      begunMs = performance.now();
    });
    expect((await view()).availableBalance).toBe(6_500);
    expect(pauses).toHaveLength(1);
    expect(pauses[0]).toBeGreaterThan(60);
  });

  it("for a proof does not seal them: a Wallet that never rests is answered 503", async () => {
    const { call, transfer } = await givenHotWallet(6_500);
    await transfer(150);
    using faults = conflictingReads();
    const proof = await withinTime(500, () => call("GET /wallets/{walletId}/balance/proof"));
    expect(proof.status).toBe(503);
    expect(faults.calls.filter(({ command }) => /Write|Put|Update|Delete/.test(command))).toEqual([]);
    expect(faults.calls.filter(({ command }) => command === "TransactGetItems").length).toBeLessThan(12);
  });

  it("uses the result of another one that ended after it began, not an earlier one", async () => {
    const { programId, walletId, transfer, view } = await givenHotWallet(6_500);
    using faults = conflictingReads();
    expect((await view()).availableBalance).toBe(6_500);
    await transfer(10);
    const sealings = () =>
      faults.calls.filter(
        ({ command, input }) => command === "UpdateItem" && JSON.stringify(input).includes('#SHARD#2"'),
      );
    expect((await Promise.all(Array.from({ length: 8 }, view))).map((one) => one.availableBalance)).toEqual(
      Array(8).fill(6_490),
    );
    expect(sealings().length).toBeLessThan(8);
    expect((await readStored(programId, walletId))?.reading).toMatchObject({ availableMinor: 6_490 });
  });

  it("and transfers go on a second after a process died that had sealed the shards", async () => {
    const { programId, account, walletId, transfer, view, balances } = await givenHotWallet(6_500);
    await transfer(150);
    const stored = await readStored(programId, walletId);
    expect(stored && (await sealShards(programId, account, stored))).toBeDefined();
    const startedMs = performance.now();
    expect((await transfer(10)).body.data.transStatus).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(performance.now() - startedMs).toBeGreaterThan(900);
    expect((await view()).availableBalance).toBe(6_340);
    expect((await balances()).availableMinor).toBe(6_340);
  });

  it("names the Wallet if a shard is missing, whether it seals the others or not", async () => {
    const { programId, walletId, account } = await givenHotWallet(6_500);
    await walletShards.at(programId, walletId, "7").deleteNow();
    const message = `Shards of the Wallet ${walletId} are missing`;
    await expect(readAccount(programId, account)).rejects.toThrow(message);
    using _ = conflictingReads();
    await expect(readAccount(programId, account)).rejects.toThrow(message);
  });

  it("writes nothing for a tool", async () => {
    const { programId, account } = await givenHotWallet(6_500);
    using faults = conflictingReads();
    const read = withinTime(300, () => readAccount(programId, account, { mayWrite: false }));
    await expect(read).rejects.toThrow(ContendedError);
    expect(faults.calls.filter(({ command }) => /Write|Put|Update|Delete/.test(command))).toEqual([]);
  });

  it("after a deposit succeeds although the time for retries is up", async () => {
    const { walletId, sandbox } = await givenHotWallet(6_500);
    using _ = conflictingReads();
    const body = { amount: 1, pending: false };
    const answer = await withinTime(0, () =>
      sandbox("POST /wallets/{walletId}/deposits", { walletId }, body),
    );
    expect(answer.body.data).toMatchObject({ availableBalance: 6_501 });
  });
});

describe("merging the shards of a Wallet", () => {
  it("seals them if a transfer changes one meanwhile", async () => {
    const { programId, account, transfer, balances, shards } = await givenHotWallet(6_500);
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => transfer(10),
    );
    await mergeShards(programId, account);
    expect(await shards()).toEqual([]);
    expect((await balances()).availableMinor).toBe(6_490);
  });

  it.each([
    ["a merge", mergeShards],
    ["a reading", readAccount],
  ])("%s succeeds on a machine that takes longer to seal than transfers wait", async (_, seals) => {
    const { programId, account, transfer, balances } = await givenHotWallet(6_500);
    // More than the Wallet's own part: from now on, this process uses shards.
    await transfer(150);
    const isSealing = (command: string, input: string) =>
      command === "UpdateItem" && input.includes("#SHARD#7");
    using _slow = interruptEach(isSealing, () => pause(1_300));
    using _conflicts = conflictingReads();
    let isDone = false;
    let transfers = 0;
    const caller = async () => {
      while (!isDone) {
        expect((await transfer(1)).body.data.transStatus).toBe(1);
        transfers += 1;
      }
    };
    const sealer = seals(programId, account).finally(() => {
      isDone = true;
    });
    await Promise.all([caller(), caller(), sealer]);
    expect((await balances()).availableMinor).toBe(6_350 - transfers);
  });

  it("takes one transaction for each of many Wallets at rest", async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => givenHotWallet(6_500)));
    using faults = injectFaults(() => undefined);
    await Promise.all(many.map(({ programId, account }) => mergeShards(programId, account)));
    expect(faults.calls.filter(({ command }) => command === "TransactWriteItems")).toHaveLength(12);
    expect(faults.calls.filter(({ command }) => command === "UpdateItem")).toEqual([]);
    for (const { balances } of many) expect((await balances()).availableMinor).toBe(6_500);
  });
});
