import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { givenProcessor, illegal, type Unsent, unknown } from "./given-processor.ts";

describe("processor events of deposits", () => {
  it("gives a deposit an id where the processor has none", async () => {
    const { send, pending, cleared } = await givenProcessor();
    const announced = (await send(pending())) as { depositId: string };
    expect(await send(cleared(announced.depositId))).toEqual({
      outcome: "applied",
      depositId: announced.depositId,
    });
  });

  it("accepts a deposit on a card that clears without having been pending", async () => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId);
    const details = { amount: 70, channel: "crypto", chain: "tron", asset: "USDT", txHash: "0xabc" } as const;
    await send({ kind: "deposit_cleared", accountType: 1, accountId: card, ...details });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, card)).toMatchObject({ availableMinor: 70, ledgerMinor: 70 });
    expect(eventsIn(items).find(({ kind }) => kind === "deposit.cleared")?.detail).toMatchObject({
      cardId: card,
      amountMinor: 70,
      chain: "tron",
      asset: "USDT",
      txHash: "0xabc",
    });
  });

  it("rejects a second deposit under the same id", async () => {
    const { programId, wallet, send, pending } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId));
    expect(await send(pending(depositId))).toEqual(illegal);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(100);
  });

  it("rejects a clearing whose amount or account is not the deposit's", async () => {
    const { programId, wallet, send, pending, cleared } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId));
    expect(await send({ ...cleared(depositId), amount: 101 } as Unsent)).toEqual(illegal);
    expect(await send({ ...cleared(depositId), accountId: newId("wallet") } as Unsent)).toEqual(illegal);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(0);
  });

  it.each([1, 2, 4] as const)("takes a deposit on a card with status %i", async (status) => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId, status);
    await send({ kind: "deposit_pending", accountType: 1, accountId: card, amount: 1, channel: "bank" });
    expect(balancesIn(await expectBooksInOrder(programId), card).pendingDepositMinor).toBe(1);
  });

  it("does not know accounts and deposits of another Program", async () => {
    const ours = await givenProcessor();
    const theirs = await givenProcessor();
    const depositId = newId("deposit");
    await theirs.send(theirs.pending(depositId));
    const before = [await storedItems(ours.programId), await storedItems(theirs.programId)];
    expect(await ours.send(theirs.pending())).toEqual(unknown);
    expect(await ours.send(ours.cleared(depositId))).toEqual(unknown);
    expect(await ours.send(ours.reversed(depositId))).toEqual(unknown);
    expect([await storedItems(ours.programId), await storedItems(theirs.programId)]).toEqual(before);
  });

  it("clears or reverses, whichever is first, never both", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { programId, wallet, send, pending, cleared, reversed } = await givenProcessor();
      const depositId = newId("deposit");
      await send(pending(depositId));
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => send((index % 2 ? cleared : reversed)(depositId))),
      );
      expect(results.filter((result) => "outcome" in result && result.outcome === "applied")).toHaveLength(1);
      expect(results.filter((result) => "code" in result)).toHaveLength(9);
      const { availableMinor, pendingDepositMinor } = balancesIn(await expectBooksInOrder(programId), wallet);
      expect(pendingDepositMinor).toBe(0);
      expect([0, 100]).toContain(availableMinor);
    }
  });
});
