import { describe, expect, it } from "vitest";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import { mergeShards, splitWallet } from "../../../shared/domain/ledger/split-wallet.ts";
import { commitTransfer, type Transfer } from "../../../shared/domain/wallets/transfer.ts";
import { wallets as storedWallets } from "../../../shared/domain/wallets/wallet.ts";
import { now, timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { injectFaults } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenHotWallet, interrupt } from "./given-hot-wallet.ts";

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
    const attempt = (amountMinor: number) => {
      const transfer: Extract<Transfer, { sourceWalletId: string }> = {
        transferId,
        transStatus: 1,
        sourceWalletId: walletId,
        destinationType: 0,
        destinationId,
        requestedAmountMinor: 70,
        transferredAmountMinor: amountMinor,
        currency: Currency.usd,
        createdAt: timestamp(),
      };
      const source = { isCovered: true };
      return commitTransfer({
        programId,
        at: now(),
        transfer,
        source,
        card: undefined,
        idempotency: undefined,
      });
    };
    expect(await attempt(70)).toMatchObject({ outcome: "committed" });
    expect(await attempt(50)).toMatchObject({ outcome: "repeated", answer: { transferredAmount: 70 } });
    expect((await balances()).availableMinor).toBe(6_430);
  });
});

describe("a transfer that no shard alone can pay", () => {
  it("takes from a few of them, also if they are in use", async () => {
    const { transfer, balances, shards } = await givenHotWallet(6_500);
    let conflicts = 0;
    {
      using _ = injectFaults(({ command, input }) => {
        const isDraw = command === "TransactWriteItems" && JSON.stringify(input).split("#SHARD#").length > 2;
        if (!isDraw || conflicts === 3) return undefined;
        conflicts += 1;
        return "conflict";
      });
      expect((await transfer(150)).body.data.transStatus).toBe(1);
    }
    expect(conflicts).toBe(3);
    expect(await shards()).toHaveLength(64);
    expect((await balances()).availableMinor).toBe(6_350);
  });

  it("takes most of the money, and makes the Wallet whole", async () => {
    const { transfer, balances, shards } = await givenHotWallet(6_500);
    expect((await transfer(6_000)).body.data.transStatus).toBe(1);
    expect(await shards()).toEqual([]);
    expect((await balances()).availableMinor).toBe(500);
  });
});
