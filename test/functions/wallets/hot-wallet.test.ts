import { describe, expect, it, vi } from "vitest";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { moveMoney } from "../../../functions/wallets/transfer.ts";
import { execute } from "../../../shared/changes/execute.ts";
import { Currency, DestinationType } from "../../../shared/contract/enums.ts";
import { accountAt } from "../../../shared/ledger/account.ts";
import { sealShards } from "../../../shared/ledger/hot/sealing.ts";
import { mergeShards, splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import type { ProgramScope } from "../../../shared/platform/http/request.ts";
import { newId } from "../../../shared/platform/id.ts";
import { log } from "../../../shared/platform/log.ts";
import { recordOnCard } from "../../../shared/wallets/card-movement.ts";
import { wallets as storedWallets } from "../../../shared/wallets/wallet.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { injectFaults, interrupt } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenHotWallet } from "./given-hot-wallet.ts";

describe("a Wallet that many transfers take from at once", () => {
  it("stays whole while throttling alone delays its transfers", async () => {
    const programId = await givenStoredProgram();
    const walletId = await givenStoredWallet(programId, 100_000);
    const cardId = await givenStoredCard(programId);
    const body = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 10 };
    let attempts = 0;
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      attempts += 1;
      return attempts <= 4 ? "throttled-item" : undefined;
    });
    const answer = await replay(
      wallets,
      apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }),
    );
    expect(answer.body.data.transStatus).toBe(1);
    expect(attempts).toBe(5);
  });

  it("stays whole if the split is throttled, and no write counts as given up", async () => {
    const programId = await givenStoredProgram();
    const walletId = await givenStoredWallet(programId, 100_000);
    const cardId = await givenStoredCard(programId);
    const body = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 10 };
    const measured = vi.spyOn(log, "measured");
    let conflicts = 0;
    let splits = 0;
    using _ = injectFaults(({ command, input }) => {
      if (command !== "TransactWriteItems") return undefined;
      if (JSON.stringify(input).includes("#SHARD#")) {
        splits += 1;
        return "throttled-item";
      }
      conflicts += 1;
      return conflicts <= 3 ? "conflict" : undefined;
    });
    const event = apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body });
    expect((await replay(wallets, event)).body.data.transStatus).toBe(1);
    expect(splits).toBeGreaterThan(1);
    expect(measured.mock.calls.filter(([, facts]) => "WritesGivenUp" in facts)).toEqual([]);
    measured.mockRestore();
  });

  it("is split once by two that try at the same time", async () => {
    const { programId, walletId, account, balances, shards } = await givenHotWallet(6_500);
    await mergeShards(programId, account);
    await overwrite(storedWallets.at(programId, walletId).key, { mergedAt: timestamp(new Date(0)) });
    const isSplit = (command: string) => command === "TransactWriteItems";
    using _ = interrupt(isSplit, () => splitWallet(programId, account, 0));
    expect(await splitWallet(programId, account, 0)).toBeUndefined();
    expect(await shards()).toHaveLength(64);
    expect((await balances()).availableMinor).toBe(6_500);
  });

  it("answers a transfer whose first answer was lost, and whose repetition conflicts, and books it once", async () => {
    const { programId, transfer, balances } = await givenHotWallet(6_500);
    let attempts = 0;
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      attempts += 1;
      return attempts === 1 ? "timeout-after-commit" : attempts === 2 ? "conflict" : undefined;
    });
    expect((await transfer(10)).body.data).toMatchObject({ transStatus: 1, transferredAmount: 10 });
    expect(attempts).toBe(3);
    expect((await balances()).availableMinor).toBe(6_490);
    const items = await storedItems(programId);
    expect(items.filter(({ sk }) => sk.startsWith("TRANSFER#"))).toHaveLength(1);
  });

  it("answers what an earlier attempt of the transfer committed after all", async () => {
    const { programId, walletId, balances } = await givenHotWallet(6_500);
    const [transferId, destinationId] = [newId("transfer"), await givenStoredWallet(programId, 0)];
    const attempt = (amount: number) => {
      const body = {
        sourceWalletId: walletId,
        destinationType: DestinationType.wallet,
        destinationId,
        amount,
      };
      const scope = { programId, currency: Currency.usd } as ProgramScope;
      const request = {
        programId,
        transferId,
        scope,
        body: { ...body, allowPartial: false },
        recordOnCard,
        known: undefined,
      };
      return execute(moveMoney, request);
    };
    expect(await attempt(70)).toMatchObject({ answer: { transferredAmount: 70 } });
    expect(await attempt(50)).toMatchObject({ answer: { transferredAmount: 70 } });
    expect((await balances()).availableMinor).toBe(6_430);
  });
});

/** Takes from two parts or more of one Wallet. */
function isDraw({ command, input }: { command: string; input: Record<string, unknown> }): boolean {
  const keys = JSON.stringify(input).matchAll(/#(wlt_\w+)(?:#SHARD#\d+)?"\},"sk":\{"S":"(?:WALLET|SHARD)"/g);
  const wallets = [...keys].map(([, walletId]) => walletId);
  return command === "TransactWriteItems" && new Set(wallets).size < wallets.length;
}

describe("a transfer that no shard alone can pay", () => {
  it("takes from a few of them, also if they are in use", async () => {
    const { transfer, balances, shards } = await givenHotWallet(6_500);
    let conflicts = 0;
    {
      using _ = injectFaults((call) => {
        if (!isDraw(call) || conflicts === 3) return undefined;
        conflicts += 1;
        return "conflict";
      });
      expect((await transfer(150)).body.data.transStatus).toBe(1);
    }
    expect(conflicts).toBe(3);
    const sealed = (await shards()).filter(({ epoch }) => Number(epoch) > 1);
    expect([1, 2]).toContain(sealed.length);
    expect(await shards()).toHaveLength(64);
    expect((await balances()).availableMinor).toBe(6_350);
  });

  it("backs off while the table throttles, although others wait for the parts", async () => {
    const { transfer, balances } = await givenHotWallet(6_500);
    let draws = 0;
    let startedMs = 0;
    {
      using _ = injectFaults((call) => {
        if (!isDraw(call)) return undefined;
        draws += 1;
        if (draws === 1) return "conflict";
        startedMs ||= performance.now();
        return performance.now() - startedMs < 500 ? "throttled-item" : undefined;
      });
      expect((await transfer(150)).body.data.transStatus).toBe(1);
    }
    expect(draws).toBeLessThan(20);
    expect((await balances()).availableMinor).toBe(6_350);
  });

  it("holds no sealed shards while it waits for those of the destination", async () => {
    const { programId, transfer, account, balances } = await givenHotWallet(6_500);
    const other = await givenHotWallet(6_500, programId);
    await other.transfer(150);
    const stored = await accountAt(programId, other.account).get();
    if (!stored) throw new Error("There is no Wallet.");
    const destination = { destinationType: 0, destinationId: other.walletId };
    {
      let draws = 0;
      // The second one is made with sealed shards, and the destination is sealed by then.
      const isClaim = (command: string, input: string) =>
        command === "UpdateItem" && input.includes("sealing");
      using _sealing = interrupt(isClaim, () => sealShards(programId, other.account, stored));
      using _ = injectFaults((call) => {
        if (!isDraw(call)) return undefined;
        draws += 1;
        return draws === 1 ? "conflict" : undefined;
      });
      expect((await transfer(150, destination)).body.data.transStatus).toBe(1);
      expect(draws).toBeGreaterThan(1);
    }
    expect((await accountAt(programId, other.account).get())?.epoch).toBe(stored.epoch);
    expect((await readAccount(programId, account))?.availableMinor).toBe(6_350);
    expect((await balances()).availableMinor).toBe(6_350);
  });

  it("takes most of the money, and makes the Wallet whole", async () => {
    const { transfer, balances, shards } = await givenHotWallet(6_500);
    expect((await transfer(6_000)).body.data.transStatus).toBe(1);
    expect(await shards()).toEqual([]);
    expect((await balances()).availableMinor).toBe(500);
  });
});
