import { fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { accountAt } from "../../../shared/ledger/account.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { pause } from "../../../shared/platform/clock.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { startRejectingEngine } from "../../harness/conflicts.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { eventsIn } from "../../harness/stored.ts";
import type { Work } from "../../tools/bench/hot-wallet-callers.ts";

describe("processes that transfer from one Wallet", { timeout: 180_000 }, () => {
  it("split it, read it and are killed with SIGKILL: what they answered is booked once", async () => {
    const programId = await givenStoredProgram();
    const walletId = await givenStoredWallet(programId, 1_000_000);
    const account = { kind: "wallet", accountId: walletId } as const;
    const cardIds = await Promise.all(Array.from({ length: 40 }, () => givenStoredCard(programId)));
    const store = await startRejectingEngine(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
    const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: store.endpoint };
    const file = new URL("../../tools/bench/hot-wallet-callers.ts", import.meta.url);
    const answered: string[] = [];
    let isLargePaid = false;
    const children = [12, 12, 0].map((callers) => ({
      callers,
      child: fork(file, { env, execArgv: [], stdio: ["ignore", "ignore", 2, "ipc"] }),
    }));
    try {
      await Promise.all(children.map(({ child }) => once(child, "message")));
      for (const { child, callers } of children) {
        child.on("message", ({ transferId }: { transferId: string }) => {
          answered.push(transferId);
          isLargePaid ||= callers === 0;
        });
        const work: Work = {
          programId,
          cardIds,
          walletIds: Array(callers).fill(walletId),
          seconds: 150,
          reports: true,
          // Above what a shard has: the last process seals shards all the time.
          ...(callers === 0 && { watched: { walletId, amount: 20_000, everyMs: 50 } }),
        };
        child.send(work);
      }
      const epoch = async () => (await accountAt(programId, account).get())?.epoch ?? 0;
      // Some seconds, or ten times as long on a busy machine.
      for (let round = 0; round < 1_000; round += 1) {
        if (answered.length >= 80 && isLargePaid && (await epoch()) > 4) break;
        await pause(100);
      }
    } finally {
      const ended = children.map(({ child }) => once(child, "exit"));
      for (const { child } of children) child.kill("SIGKILL");
      await Promise.all(ended);
      await store.stop();
    }
    // What the engine had received by then, it still commits.
    const readStill = async (): ReturnType<typeof readAccount> => {
      const seen = await readAccount(programId, account);
      await pause(500);
      const now = await readAccount(programId, account);
      return now?.availableMinor === seen?.availableMinor ? now : readStill();
    };
    const whole = await readStill();
    const items = await expectBooksInOrder(programId);
    const completed = eventsIn(items)
      .filter(({ kind }) => kind === "transfer.completed")
      .map(({ detail }) => detail as { transferId: string; transferredAmountMinor: number });
    const ids = completed.map(({ transferId }) => transferId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
    expect(answered.length).toBeGreaterThan(20);
    const movedMinor = completed.reduce((sum, one) => sum + one.transferredAmountMinor, 0);
    expect(movedMinor).toBeGreaterThan(20_000);
    expect(balancesIn(items, walletId).availableMinor).toBe(1_000_000 - movedMinor);
    expect(items.filter(({ sk }) => sk.startsWith("TRANSFER#"))).toHaveLength(completed.length);
    expect(whole?.availableMinor).toBe(1_000_000 - movedMinor);
    expect(whole?.epoch).toBeGreaterThan(4);
  });
});
