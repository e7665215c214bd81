import { describe, expect, it } from "vitest";
import { DepositStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { interrupt } from "../../harness/faults.ts";
import { setAttributes } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { eventsIn, storedEvents } from "../../harness/stored.ts";
import { givenProcessor, type Unsent } from "./given-processor.ts";

const beforeCommit = (command: string) => command === "TransactWriteItems";
const onCard = (cardId: string, depositId: string): Unsent => ({
  ...{ kind: "deposit_pending", accountType: 1, accountId: cardId, amount: 100, channel: "bank", depositId },
});

/** What becomes of a deposit is in deposit-rules.txt. */
describe("processor events of deposits", () => {
  it("are published with their details, once for each change", async () => {
    const { programId, send, cleared, returned } = await givenProcessor();
    const cardId = await givenStoredCard(programId);
    const details = { channel: "crypto", chain: "tron", asset: "USDT", txHash: "0xabc" } as const;
    const { depositId } = (await send({
      ...{ kind: "deposit_pending", accountType: 1, accountId: cardId, amount: 70, ...details },
    })) as { depositId: string };
    for (const event of [cleared(depositId), returned(depositId)]) await send(event);
    const told = eventsIn(await expectBooksInOrder(programId));
    expect(told.map(({ kind }) => kind)).toEqual(["deposit.pending", "deposit.cleared", "deposit.returned"]);
    expect(told[1]?.detail).toMatchObject({ cardId, amountMinor: 70, ...details });
  });

  it("become a return of what cleared between its reading and its commit", async () => {
    const { programId, wallet, send, pending, cleared, returned } = await givenProcessor();
    const depositId = newId("deposit");
    await send(pending(depositId));
    using _ = interrupt(beforeCommit, () => send(cleared(depositId)));
    expect(await send(returned(depositId))).toEqual({ outcome: "applied", depositId });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, wallet)).toMatchObject({ availableMinor: 0, pendingDepositMinor: 0 });
    expect(items.some(({ kind }) => kind === "deposit_returned")).toBe(true);
  });

  it.each([
    ["clearings and reversals", ["cleared", "reversed"]],
    ["clearings and returns", ["cleared", "returned"]],
  ] as const)("move nothing twice when %s race", async (_, kinds) => {
    for (let round = 0; round < 3; round += 1) {
      const { programId, wallet, ...events } = await givenProcessor();
      const depositId = newId("deposit");
      await events.send(events.pending(depositId));
      const all = Array.from({ length: 10 }, (_each, index) =>
        events[kinds[(index % 2) as 0 | 1]](depositId),
      );
      await Promise.all(all.map((event) => events.send(event)));
      const { ledgerMinor, pendingDepositMinor } = balancesIn(await expectBooksInOrder(programId), wallet);
      const status = (await deposits.at(programId, depositId).get())?.status;
      expect([ledgerMinor, pendingDepositMinor]).toEqual([status === DepositStatus.cleared ? 100 : 0, 0]);
      if (kinds[1] === "returned") expect(status).not.toBe(DepositStatus.cleared);
    }
  });
});

describe("a deposit in suspense", () => {
  it("has an event for each step", async () => {
    const { programId, send, cleared, returned } = await givenProcessor();
    const [cardId, depositId] = [await givenStoredCard(programId, 3), newId("deposit")];
    const suspenseId = depositId.replace("dep_", "sus_");
    for (const event of [onCard(cardId, depositId), cleared(depositId), returned(depositId)])
      expect(await send(event)).toEqual({ outcome: "applied", depositId, suspenseId });
    const detail = {
      ...{ suspenseId, depositId, accountId: cardId, amountMinor: 100, currency: 0 },
      ...{ channel: "bank", reason: "CARD_CLOSED" },
    };
    const kinds = ["deposit.suspended", "suspense.cleared", "suspense.returned"];
    expect(await storedEvents(programId)).toEqual(kinds.map((kind) => ({ kind, detail })));
  });

  it("in another currency keeps it with its reference, and can only be returned", async () => {
    const { programId, wallet, send } = await givenProcessor();
    const details = { accountType: 0, accountId: wallet, amount: 100, channel: "bank" } as const;
    const depositId = newId("deposit");
    await send({ kind: "deposit_cleared", depositId, ...details, reference: "INVOICE 12", currency: "JPY" });
    const { items } = await operate("list-suspense", { programId });
    expect(items).toMatchObject([{ currency: "JPY", reference: "INVOICE 12", amount: 100 }]);
    const suspenseId = depositId.replace("dep_", "sus_");
    const assignment = operate("assign-suspense", { programId, suspenseId, walletId: wallet });
    await expect(assignment).rejects.toThrow("it can only be returned");
    await operate("return-suspense", { programId, suspenseId });
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(0);
  });

  it("is there also where its Card was closed between its reading and the commit", async () => {
    const { programId, send } = await givenProcessor();
    const card = await givenStoredCard(programId);
    using _ = interrupt(beforeCommit, () => setAttributes(programId, card, { issuerCardStatus: 3 }));
    expect(await send(onCard(card, newId("deposit")))).toMatchObject({ outcome: "applied" });
    const items = await expectBooksInOrder(programId);
    expect(items.some(({ kind }) => kind === "deposit_suspended")).toBe(true);
  });
});
