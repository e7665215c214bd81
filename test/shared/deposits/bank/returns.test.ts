import { describe, expect, it } from "vitest";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import { makeIban } from "../../../../infra/development/iban.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { DepositStatus, SuspenseStatus } from "../../../../shared/contract/enums.ts";
import { applyBankEvent } from "../../../../shared/deposits/bank/apply-bank-event.ts";
import { suspenseItems } from "../../../../shared/deposits/suspense.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenNetwork } from "../../../harness/given-network.ts";
import { givenStoredCard } from "../../../harness/given-stored.ts";
import { refusedOf } from "../../../harness/refused.ts";
import { replay } from "../../../harness/replay.ts";
import { givenBank, statusOf } from "./given-bank.ts";

describe("a return that a bank reports", () => {
  it("takes back the deposit once, and a second one is a duplicate", async () => {
    const { wallet, arrived, returned, report, availableIn, depositOf } = await givenBank();
    await report(arrived());
    expect(statusOf(await report(returned(), "return#1"))).toBe("applied");
    expect(statusOf(await report(returned(), "return#2"))).toBe("duplicate");
    expect(statusOf(await report(returned(), "return#1"))).toBe("applied");
    expect((await depositOf()).status).toBe(DepositStatus.returned);
    expect(await availableIn(wallet)).toBe(0);
  });

  it("finds it by the payer's reference, if only one has it", async () => {
    const { wallet, account, arrived, returned, report, availableIn, bankReference } = await givenBank();
    const endToEndId = `e2e-${bankReference}`;
    const whole = { amount: 1250, currency: "USD" };
    const byPayer = returned({ bankReference: undefined, endToEndId, account, ...whole });
    await report(arrived({ endToEndId }));
    expect(statusOf(await report(byPayer))).toBe("applied");
    expect(await availableIn(wallet)).toBe(0);
    await report(arrived({ endToEndId, bankReference: `${bankReference}-2` }));
    await report(arrived({ endToEndId, bankReference: `${bankReference}-3` }));
    expect(await report({ ...byPayer, returnId: "other" } as BankEvent)).toMatchObject({
      status: "rejected",
      reason: "2 deposits have the references, account and amount that it names.",
    });
  });

  it("makes the balance negative if the money is spent", async () => {
    const { programId, wallet, arrived, returned, report, availableIn } = await givenBank();
    await report(arrived());
    const card = await givenStoredCard(programId);
    const body = { sourceWalletId: wallet, destinationType: 1, destinationId: card, amount: 1000 };
    await replay(wallets, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }));
    await report(returned());
    expect([await availableIn(wallet), await availableIn(card)]).toEqual([-1000, 1000]);
  });

  it.each([true, false])(
    "is remembered where it comes before its deposit (it names the account: %s)",
    async (isNamed) => {
      const { wallet, arrived, returned, report, availableIn, depositOf } = await givenBank();
      const all = { account: undefined, endToEndId: "e2e", amount: 1250, currency: "USD" };
      const event = returned(isNamed ? {} : all);
      expect(await report(event, "return#1")).toMatchObject({ status: "rejected" });
      expect(statusOf(await report(arrived({ endToEndId: "e2e" })))).toBe("applied");
      expect((await depositOf()).status).toBe(DepositStatus.returned);
      expect(await availableIn(wallet)).toBe(0);
      expect(statusOf(await report(event, "return#2"))).toBe("duplicate");
    },
  );

  it("leaves no money where it races with its deposit", async () => {
    for (let round = 0; round < 8; round += 1) {
      const { wallet, arrived, returned, report, availableIn } = await givenBank();
      await Promise.all([report(arrived()), report(returned())]);
      expect(await availableIn(wallet)).toBe(0);
    }
  });

  it.each([{ amount: 1251 }, { currency: "EUR", amount: 1250 }])(
    "is rejected where it is not of the deposit: %o",
    async (more) => {
      const { arrived, returned, report, availableIn } = await givenBank();
      await report(arrived());
      const reason = expect.stringContaining("another account, amount or currency");
      expect(await report(returned({ currency: "USD", ...more }))).toMatchObject({ reason });
      expect(await availableIn()).toBe(1250);
    },
  );

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

  it("does not look for another deposit by the payer's reference where it has the bank's", async () => {
    const { account, arrived, returned, report, availableIn, bankReference } = await givenBank();
    const endToEndId = `e2e-${bankReference}`;
    await report(arrived({ endToEndId }));
    const other = returned({ bankReference: `${bankReference}-2`, endToEndId, account });
    expect(await report(other)).toMatchObject({ status: "rejected" });
    expect(await availableIn()).toBe(1250);
    const contradictory = returned({ endToEndId: "another", account });
    expect(await report(contradictory)).toMatchObject({ status: "rejected" });
    expect(await availableIn()).toBe(1250);
  });

  it("is remembered by the payer's reference and the account, for one deposit", async () => {
    const { account, arrived, returned, report, availableIn, bankReference } = await givenBank();
    const endToEndId = `e2e-${bankReference}`;
    const byPayer = returned({
      bankReference: undefined,
      endToEndId,
      account,
      amount: 1250,
      currency: "USD",
    });
    expect(await report(byPayer)).toMatchObject({ reason: expect.stringContaining("If the deposit comes") });
    await report(arrived({ endToEndId: "another", bankReference: `${bankReference}-0` }));
    expect(await availableIn()).toBe(1250);
    await report(arrived({ endToEndId }));
    expect(await availableIn()).toBe(1250);
    await report(arrived({ endToEndId, bankReference: `${bankReference}-2` }));
    await report(arrived({ endToEndId }));
    expect(await availableIn()).toBe(2500);
  });

  it("is not remembered by the payer's reference alone, which any payer may use", async () => {
    const { arrived, returned, report, availableIn, bankReference } = await givenBank();
    const endToEndId = `e2e-${bankReference}`;
    const some = { account: undefined, bankReference: undefined, endToEndId, currency: "USD" };
    const byPayer = returned({ ...some, amount: 500 });
    expect(await report(byPayer)).toMatchObject({ reason: expect.stringContaining("Without the account") });
    await report(arrived({ endToEndId }));
    expect(statusOf(await report(byPayer))).toBe("rejected");
    expect(await availableIn()).toBe(1250);
    expect(statusOf(await report({ ...byPayer, amount: 1250 } as BankEvent))).toBe("applied");
    expect(await availableIn()).toBe(0);
  });

  it("is kept if it names a reference that deposits share, unless one alone has its amount", async () => {
    const { arrived, returned, report, availableIn } = await givenBank();
    const place = (entry: number) => ({ place: { statement: "S", entry }, report: "camt.054" });
    for (const entry of [1, 2]) await report(arrived({ ...place(entry), content: String(entry) }));
    await report(arrived({ ...place(3), content: "3", amount: 700 }));
    for (const more of [{}, { amount: 1250, currency: "USD" }, { amount: 600, currency: "USD" }])
      expect(await report(returned(more))).toMatchObject({
        status: "rejected",
        reason: expect.stringMatching(/^[23] deposits have the references/),
      });
    expect(await availableIn()).toBe(3200);
    expect(statusOf(await report(returned({ amount: 700, currency: "USD" })))).toBe("applied");
    expect(await availableIn()).toBe(2500);
  });

  it.each(["before", "after"])("leaves another Program's deposits alone (%s them)", async (order) => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, account, report, returned, arrived } = mine;
    const endToEndId = `e2e-${bankReference}`;
    const takeBack = async () => {
      await report(returned({ account }));
      await report(returned({ account, bankReference: undefined, endToEndId }));
      await applyBankEvent({ event: returned(), origin: newId("event"), programId: mine.programId });
    };
    if (order === "before") await takeBack();
    await report(other.arrived({ bankReference, endToEndId }));
    if (order === "after") await takeBack();
    expect(await other.availableIn()).toBe(1250);
    await report(arrived({ endToEndId }));
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([0, 1250]);
  });

  it("is of the account that it names, where two of a Program have the reference", async () => {
    const { account, arrived, returned, report, collectOn, availableIn } = await givenBank();
    const other = await collectOn(makeIban(newId("program")));
    await report(returned({ account: other }));
    await report(arrived());
    expect(await availableIn()).toBe(1250);
    await report(arrived({ account: other, amount: 700 }));
    expect(await availableIn()).toBe(1250);
    expect(statusOf(await report(returned({ account, amount: 250, currency: "USD" })))).toBe("applied");
    expect(await availableIn()).toBe(1000);
  });
});

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
    expect(await refusedOf({ programId })).toEqual([]);
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

describe("the return of a whole group", () => {
  it("takes back each of its deposits, once", async () => {
    const { report, group, availableIn } = await givenGroup();
    expect(await availableIn()).toBe(1550);
    expect(statusOf(await report(group(), "return#1"))).toBe("applied");
    expect(await availableIn()).toBe(0);
    expect(statusOf(await report(group(), "return#1"))).toBe("applied");
    expect(statusOf(await report(group(), "return#2"))).toBe("duplicate");
    expect(await availableIn()).toBe(0);
  });

  it.each([
    ["another sum", { amount: 1250 }],
    ["another number", { group: { transactions: 3 } }],
    ["no number", { group: {} }],
    ["another currency", { currency: "EUR" }],
    ["an unknown message", { references: { message: "unknown" } }],
  ])("is kept for the operator if it has %s", async (_, more) => {
    const { report, group, availableIn } = await givenGroup();
    const outcome = await report(group(more));
    expect(outcome).toMatchObject({ status: "rejected", reason: expect.stringMatching(/^GrpRtr: /) });
    expect(await availableIn()).toBe(1550);
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
});

describe("a return without the account", () => {
  const all = { account: undefined, endToEndId: "e2e", amount: 1250, currency: "USD" };

  it.each([{ currency: "EUR" }, { endToEndId: "another" }, { amount: 1251 }])(
    "takes no deposit that it contradicts: %o",
    async (more) => {
      const { arrived, returned, report, availableIn } = await givenBank();
      for (const _ of ["before", "after"]) {
        expect(statusOf(await report(returned({ ...all, ...more })))).toBe("rejected");
        await report(arrived({ endToEndId: "e2e" }));
      }
      expect(await availableIn()).toBe(1250);
      expect(statusOf(await report(returned(all)))).toBe("applied");
      expect(await availableIn()).toBe(0);
    },
  );

  it.each([
    { more: { endToEndId: undefined, amount: undefined, currency: undefined }, left: 0 },
    { more: { endToEndId: undefined, amount: 250 }, left: 1000 },
  ])("takes the only deposit of its reference once it is known: %o", async ({ more, left }) => {
    const { arrived, returned, report, availableIn } = await givenBank();
    const event = returned({ ...all, ...more });
    expect(statusOf(await report(event))).toBe("rejected");
    await report(arrived({ endToEndId: "e2e" }));
    expect(await availableIn()).toBe(1250);
    expect(statusOf(await report(event, "return#1"))).toBe("applied");
    expect(statusOf(await report(event, "return#1"))).toBe("applied");
    expect(statusOf(await report(event, "return#2"))).toBe("duplicate");
    expect(await availableIn()).toBe(left);
  });

  it.each([
    { name: "a part", more: { amount: 250 }, deposit: { endToEndId: "e2e" }, left: 1000 },
    { name: "the whole", more: {}, deposit: { endToEndId: "e2e" }, left: 0 },
    { name: "no EndToEndId in the deposit", more: { amount: 250 }, deposit: {}, left: 1250 },
    { name: "none, and the whole amount", more: {}, deposit: {}, left: 1250 },
    { name: "another EndToEndId", more: {}, deposit: { endToEndId: "another" }, left: 1250 },
  ])("takes the same money before and after its deposit: $name", async ({ more, deposit, left }) => {
    for (const isEarly of [true, false]) {
      const { arrived, returned, report, availableIn } = await givenBank();
      const steps = [returned({ ...all, ...more }), arrived(deposit)];
      for (const event of isEarly ? steps : steps.toReversed()) await report(event);
      expect(await availableIn()).toBe(left);
      // Sent again, each changes nothing.
      for (const event of steps) await report(event);
      expect(await availableIn()).toBe(left);
    }
  });

  it("takes back money of one deposit only, whatever comes later", async () => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, returned, report } = mine;
    const event = returned({ ...all, amount: 250 });
    await report(event);
    await report(mine.arrived({ endToEndId: "e2e" }));
    await report(other.arrived({ bankReference, endToEndId: "e2e", amount: 250 }));
    for (const { arrived } of [mine, other]) await report(arrived({ bankReference, endToEndId: "e2e" }));
    expect(statusOf(await report(event))).toBe("duplicate");
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([1000, 250]);
  });

  it("is rejected if two banks' deposits have its reference, unless one agrees in all", async () => {
    const [mine, other] = [await givenBank(), await givenBank()];
    const { bankReference, returned, report } = mine;
    await report(mine.arrived({ endToEndId: "e2e" }));
    await report(other.arrived({ bankReference }));
    expect(await report(returned({ ...all, endToEndId: undefined }))).toEqual({
      status: "rejected",
      reason: "2 deposits have the references, account and amount that it names.",
    });
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([1250, 1250]);
    expect(statusOf(await report(returned(all)))).toBe("applied");
    expect([await mine.availableIn(), await other.availableIn()]).toEqual([0, 1250]);
  });
});
