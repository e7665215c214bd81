import { describe, expect, it } from "vitest";
import { handler as wallets } from "../../../../functions/wallets/handler.ts";
import { makeIban } from "../../../../infra/development/iban.ts";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { DepositStatus } from "../../../../shared/contract/enums.ts";
import { applyBankEvent } from "../../../../shared/deposits/bank/apply-bank-event.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { apiEvent } from "../../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../../harness/books.ts";
import { givenNetwork } from "../../../harness/given-network.ts";
import { givenStoredCard } from "../../../harness/given-stored.ts";
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
