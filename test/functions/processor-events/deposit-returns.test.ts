import { describe, expect, it } from "vitest";
import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { DepositStatus, TransactionType } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { interrupt } from "../../harness/faults.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";
import { givenProcessor, illegal, type Unsent, unknown } from "./given-processor.ts";

/** Deposits of 100 on a card, cleared at once. */
function bankOf(programId: string, cardId: string) {
  const send = async (event: Unsent) =>
    (await processor({ programId, eventId: newId("event"), ...event })) as { depositId: string };
  return {
    deposit: async () => {
      const details = { accountType: 1, accountId: cardId, amount: 100, channel: "bank" } as const;
      return (await send({ kind: "deposit_cleared", ...details })).depositId;
    },
    takeBack: (depositId: string) => send({ kind: "deposit_returned", depositId }),
  };
}

describe("deposit_returned", () => {
  it("debits what a cleared deposit credited, once", async () => {
    const { programId, wallet, send, pending, cleared, returned } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId));
    await send(cleared(depositId));
    expect(await send(returned(depositId), "return")).toEqual({ outcome: "applied", depositId });
    const booked = await storedItems(programId);
    expect(await send(returned(depositId), "return")).toEqual({ outcome: "applied", depositId });
    expect(await storedItems(programId)).toEqual(booked);
    for (const again of [returned, cleared]) expect(await send(again(depositId))).toEqual(illegal);
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, wallet)).toMatchObject({ availableMinor: 0, ledgerMinor: 0 });
    expect((await deposits.at(programId, depositId).get())?.status).toBe(DepositStatus.returned);
    expect(eventsIn(items).filter(({ kind }) => kind === "deposit.returned")).toHaveLength(1);
  });

  it("can make a Wallet negative, which then sends nothing", async () => {
    const { programId, wallet, send, pending, cleared, returned } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId, 100));
    await send(cleared(depositId));
    const card = await givenStoredCard(programId);
    const transfer = async (amount: number) => {
      const body = { sourceWalletId: wallet, destinationType: 1, destinationId: card, amount };
      return (
        await replay(wallets, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }))
      ).body.data;
    };
    expect((await transfer(60)).transStatus).toBe(1);
    await send(returned(depositId));
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(-60);
    expect(await transfer(1)).toMatchObject({ transStatus: 2, declineReason: "INSUFFICIENT_FUNDS" });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).availableMinor).toBe(-60);
  });

  it("takes a Card below zero, where authorizations are declined, and adds a debit to its statement", async () => {
    const { programId, cardId, send, apply } = await givenNetwork({ availableMinor: 0 });
    const { deposit, takeBack } = bankOf(programId, cardId);
    const depositId = await deposit();
    await apply({ kind: "clearing", amount: 70 });
    await takeBack(depositId);
    expect(balancesIn(await expectBooksInOrder(programId), cardId)).toMatchObject({
      availableMinor: -70,
      ledgerMinor: -70,
    });
    expect(await send({ kind: "authorization", authorizationId: "a", amount: 1 })).toMatchObject({
      approved: false,
      declineReason: "INSUFFICIENT_FUNDS",
    });
    const query = { cardId };
    const listed = await replay(
      cards,
      apiEvent({ route: "GET /cards/transactions", caller: { programId }, query }),
    );
    const ofDeposit = (listed.body.items as Record<string, unknown>[])
      .filter(({ referenceCode }) => referenceCode === depositId)
      .map(({ transType, transStatus, type, amount }) => [transType, transStatus, type, amount]);
    expect(ofDeposit.toSorted()).toEqual([
      [TransactionType.gpa_credit, 2, "CR", 100],
      [TransactionType.gpa_credit_reversal, 2, "DR", 100],
    ]);
  });

  it("waits for a deposit that is not known yet", async () => {
    const { programId, wallet, send, pending, returned } = await givenProcessor();
    const depositId = newId("deposit");
    expect(await send(returned(depositId), "early")).toEqual(unknown);
    await send({ ...pending(depositId), kind: "deposit_cleared" } as Parameters<typeof send>[0]);
    expect(await send(returned(depositId), "early")).toEqual({ outcome: "applied", depositId });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(0);
  });

  it("becomes a return of what cleared between its reading and its commit", async () => {
    const { programId, wallet, send, pending, cleared, returned } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId));
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => send(cleared(depositId)),
    );
    expect(await send(returned(depositId))).toEqual({ outcome: "applied", depositId });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, wallet)).toMatchObject({ availableMinor: 0, pendingDepositMinor: 0 });
    expect(items.some(({ kind }) => kind === "deposit_returned")).toBe(true);
  });

  it("moves nothing twice when ten returns and clearings race", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { programId, wallet, send, pending, cleared, returned } = await givenProcessor();
      const depositId = newId("deposit");
      await send(pending(depositId));
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => send((index % 2 ? cleared : returned)(depositId))),
      );
      const { ledgerMinor, pendingDepositMinor } = balancesIn(await expectBooksInOrder(programId), wallet);
      expect([ledgerMinor, pendingDepositMinor]).toEqual([0, 0]);
      const status = (await deposits.at(programId, depositId).get())?.status;
      expect([DepositStatus.reversed, DepositStatus.returned]).toContain(status);
    }
  });
});
