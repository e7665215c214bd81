import { describe, expect, it } from "vitest";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import { makeIban } from "../../../../infra/development/iban.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { SuspenseStatus } from "../../../../shared/contract/enums.ts";
import { applyBankEvent } from "../../../../shared/deposits/bank/apply-bank-event.ts";
import { giveBack } from "../../../../shared/deposits/bank/give-back.ts";
import { suspenseItems } from "../../../../shared/deposits/suspense.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenNetwork } from "../../../harness/given-network.ts";
import { givenStoredCard } from "../../../harness/given-stored.ts";
import { refusedOf } from "../../../harness/refused.ts";
import { replay } from "../../../harness/replay.ts";
import { storedItems } from "../../../harness/stored.ts";
import { givenBank, statusOf } from "./given-bank.ts";

const part = { amount: 500, currency: "USD" };

describe("a return that a bank reports", () => {
  it("makes the balance negative if the money is spent", async () => {
    const { programId, wallet, arrived, returned, report, availableIn } = await givenBank();
    await report(arrived());
    const card = await givenStoredCard(programId);
    const body = { sourceWalletId: wallet, destinationType: 1, destinationId: card, amount: 1000 };
    await replay(wallets, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }));
    await report(returned());
    expect([await availableIn(wallet), await availableIn(card)]).toEqual([-1000, 1000]);
  });

  it("debits a Card that was closed meanwhile", async () => {
    const { programId, cardId, setStatus } = await givenNetwork({ availableMinor: 0 });
    const account = makeIban(programId);
    await operate("set-bank-account", { programId, bankAccount: account });
    const references = { accountServicer: programId };
    const given = { account, references, remittance: [cardId], amount: 5, currency: "USD" };
    await applyBankEvent({ event: { kind: "deposited", ...given }, origin: "1" });
    await setStatus(3);
    const event = { kind: "returned", references, account } as const;
    expect(statusOf(await applyBankEvent({ event, origin: "2" }))).toBe("applied");
    expect(balancesIn(await expectBooksInOrder(programId), cardId).ledgerMinor).toBe(0);
  });

  it("never takes back more than came, in any order", async () => {
    const ids = ["1", "2", "3"];
    for (const before of [0, 1, 2, 3]) {
      const { arrived, returned, report, availableIn } = await givenBank();
      const give = (returnId: string) => report(returned({ ...part, returnId }));
      await Promise.all([...ids.slice(0, before), ...ids.slice(0, before)].map(give));
      await Promise.all([report(arrived()), ...ids.map(give)]);
      expect(await availableIn(), `${before} came before the deposit`).toBe(250);
    }
  });

  it("writes nothing of a deposit that no bank has reported", async () => {
    const { programId } = await givenBank();
    const depositId = newId("deposit");
    const payment = { programId, depositId, references: {}, amountMinor: 1, currency: "USD", origin: "1" };
    const returned = { returnKey: depositId, origin: "2", references: {}, programId };
    const before = await storedItems(programId);
    await expect(giveBack(payment, returned)).rejects.toThrow(
      `No bank has reported the deposit ${depositId}.`,
    );
    expect(await storedItems(programId)).toEqual(before);
  });

  it("is a debit on a Card's statement", async () => {
    const { programId, cardId, records } = await givenNetwork({ availableMinor: 0 });
    const { report, arrived, returned } = await givenBank();
    const own = { account: makeIban(programId), bankReference: newId("event") };
    await operate("set-bank-account", { programId, bankAccount: own.account });
    await report(arrived({ ...own, remittance: [cardId] }));
    expect(statusOf(await report(returned({ ...own, ...part })))).toBe("applied");
    expect(balancesIn(await expectBooksInOrder(programId), cardId).ledgerMinor).toBe(750);
    expect((await records()).map(({ amountMinor, type }) => [type, amountMinor])).toEqual([
      ["CR", 1250],
      ["DR", 500],
    ]);
  });

  it("leaves the rest in suspense, which can be assigned and returned", async () => {
    const { programId, wallet, arrived, returned, report, availableIn, depositOf } = await givenBank();
    const give = (returnId: string, amount: number) => report(returned({ ...part, amount, returnId }));
    await give("1", 500);
    await report(arrived({ remittance: [] }));
    expect(statusOf(await give("2", 250))).toBe("applied");
    const { depositId } = await depositOf();
    const item = await suspenseItems.at(programId, depositId).require();
    expect(item).toMatchObject({ amountMinor: 500, status: SuspenseStatus.cleared });
    await operate("assign-suspense", { programId, suspenseId: item.suspenseId, walletId: wallet });
    expect(await availableIn()).toBe(500);
    expect(statusOf(await give("3", 501))).toBe("rejected");
    expect(statusOf(await give("4", 500))).toBe("applied");
    expect(await availableIn()).toBe(0);
  });

  it("says which deposits stayed, since a part of them had gone back", async () => {
    const { report, returned, group, second, depositOf, availableIn } = await givenGroup();
    const part = { bankReference: second, returnId: "part", amount: 100, currency: "USD" };
    expect(statusOf(await report(returned(part)))).toBe("applied");
    const { depositId } = await depositOf(second);
    const outcome = await report(group(), "return#1");
    expect(outcome).toMatchObject({ status: "rejected", reason: expect.stringContaining(depositId) });
    expect(await availableIn()).toBe(200);
    expect(await report(group(), "return#1")).toEqual(outcome);
    expect(await availableIn()).toBe(200);
  });

  it.each(["1", "7"])(
    "before its deposit, of which two reports tell by two references, takes it once: the operator is told once",
    async (second) => {
      const { programId, arrived, returned, report, availableIn } = await givenBank();
      const give = (returnId: string, kind: string) => {
        const place = { statement: kind, entry: 1 };
        return report(returned({ ...part, endToEndId: "e1", returnId, report: kind, place }));
      };
      await give("1", "camt.054");
      await give(second, "camt.053");
      for (const _ of [1, 2]) await report(arrived({ endToEndId: "e1" }));
      expect(await availableIn()).toBe(750);
      const told = (await refusedOf({ programId })).map(({ reason }) => reason);
      const unclear = expect.stringContaining("5.00 USD: It may be a return of which another kind");
      expect(told).toEqual(second === "7" ? [unclear] : []);
    },
  );

  it("that is one of several, none of which came early, leaves nothing for the operator", async () => {
    const { programId, arrived, returned, report } = await givenBank();
    const give = (returnId: string) => report(returned({ ...part, returnId }));
    await give("1");
    await report(arrived());
    await give("2");
    await report(arrived());
    expect(await refusedOf({ programId })).toEqual([]);
  });
});

/** Two deposits of one message of the payer's bank, 12.50 and 3.00. */
async function givenGroup() {
  const bank = await givenBank();
  const message = `msg-${bank.programId}`;
  const second = `${bank.bankReference}-2`;
  await bank.report(bank.arrived({ references: { message } }));
  await bank.report(bank.arrived({ references: { message }, bankReference: second, amount: 300 }));
  const group = (more: object = {}) =>
    bank.returned({
      ...{ bankReference: undefined, references: { message }, amount: 1550, currency: "USD" },
      ...{ group: { transactions: 2 }, ...more },
    }) as BankEvent;
  return { ...bank, second, group };
}
