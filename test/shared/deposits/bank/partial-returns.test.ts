import { describe, expect, it } from "vitest";
import { makeIban } from "../../../../infra/development/iban.ts";
import { DepositStatus, SuspenseStatus } from "../../../../shared/contract/enums.ts";
import { suspenseItems } from "../../../../shared/deposits/suspense.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenNetwork } from "../../../harness/given-network.ts";
import { givenBank, statusOf } from "./given-bank.ts";

const part = { amount: 500, currency: "USD" };

describe("a return of a part", () => {
  it.each([
    ["after its deposit", ["deposit", "return"]],
    ["before its deposit", ["return", "deposit"]],
    ["before and after it", ["return", "deposit", "return"]],
    ["again and again", ["return", "return", "deposit", "deposit", "return", "return"]],
  ])("takes back its amount once, %s", async (_, steps) => {
    const { arrived, returned, report, availableIn, depositOf } = await givenBank();
    for (const step of steps) await report(step === "deposit" ? arrived() : returned(part));
    expect(await availableIn()).toBe(750);
    expect(await depositOf()).toMatchObject({ status: DepositStatus.cleared, returnedMinor: 500 });
  });

  it("is one of several by the bank's reference of the return, whose sum is at most the deposit", async () => {
    const { programId, arrived, returned, report, availableIn, depositOf } = await givenBank();
    const give = (returnId: string, amount = 500) =>
      report(returned({ ...part, amount, returnId }), returnId);
    await give("1");
    await report(arrived());
    expect((await Promise.all(["2", "3"].map((id) => give(id)))).map(statusOf).toSorted()).toEqual([
      "applied",
      "rejected",
    ]);
    expect(statusOf(await give("1"))).toBe("applied");
    expect(statusOf(await report(returned({ ...part, returnId: "1" })))).toBe("duplicate");
    expect(await availableIn()).toBe(250);
    expect(await report(returned({ ...part, amount: 1250 }))).toMatchObject({
      reason: "The deposit, or too much of it, is returned already.",
    });
    expect(statusOf(await give("4", 250))).toBe("applied");
    expect(await availableIn()).toBe(0);
    expect((await depositOf()).status).toBe(DepositStatus.returned);
    // None of them came early.
    await report(arrived());
    const { items } = await operate("list-refused", { limit: 100 });
    expect(items.filter((one) => one.programId === programId)).toEqual([]);
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

  it("is followed by a return of the rest, where that names no amount", async () => {
    const { arrived, returned, report, availableIn, depositOf } = await givenBank();
    await report(arrived());
    await report(returned(part));
    expect(statusOf(await report(returned()))).toBe("applied");
    expect(await availableIn()).toBe(0);
    expect((await depositOf()).status).toBe(DepositStatus.returned);
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
});
