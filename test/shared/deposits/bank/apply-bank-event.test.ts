import { describe, expect, it } from "vitest";
import { makeIban } from "../../../../infra/development/iban.ts";
import { CardStatus, DepositStatus, SuspenseStatus } from "../../../../shared/contract/enums.ts";
import { suspenseItems } from "../../../../shared/deposits/suspense.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { operate } from "../../../harness/administration.ts";
import { injectFaults } from "../../../harness/faults.ts";
import { givenStoredCard } from "../../../harness/given-stored.ts";
import { storedEvents } from "../../../harness/stored.ts";
import { givenBank, statusOf } from "./given-bank.ts";

describe("a deposit that a bank reports", () => {
  it("credits the Wallet or Card whose id is a word of the text, in any case", async () => {
    const { programId, wallet, arrived, report, availableIn, depositOf, bankReference } = await givenBank();
    expect(await report(arrived())).toEqual({ status: "applied", programId });
    expect(await depositOf()).toMatchObject({
      status: DepositStatus.cleared,
      reference: wallet,
      channel: "bank",
    });
    const card = await givenStoredCard(programId, CardStatus.active);
    const remittance = ["no id", `RENT/${card.toUpperCase()}, MAY`];
    const other = `${bankReference}-2`;
    expect(statusOf(await report(arrived({ bankReference: other, remittance })))).toBe("applied");
    expect((await depositOf(other)).reference).toBe(card.toUpperCase());
    expect([await availableIn(wallet), await availableIn(card)]).toEqual([1250, 1250]);
  });

  it("is one deposit, by whichever report it comes, and a repeated report has its first outcome", async () => {
    const { wallet, arrived, report, announce, availableIn, depositOf, programId, bankReference } =
      await givenBank();
    const outcomes = await Promise.all([1, 2, 3, 4].map((origin) => report(arrived(), `file#${origin}`)));
    expect(outcomes.map(statusOf).toSorted()).toEqual(["applied", "duplicate", "duplicate", "duplicate"]);
    const first = outcomes.findIndex(({ status }) => status === "applied") + 1;
    expect(statusOf(await report(arrived(), `file#${first}`))).toBe("applied");
    expect(statusOf(await announce())).toBe("duplicate");
    expect(await announce({ amount: 9 })).toEqual({ status: "suspense", programId });
    const [item] = (await operate("list-suspense", { programId })).items;
    const { depositId: duplicateOf } = await depositOf();
    expect(item).toMatchObject({ reason: "POSSIBLE_DUPLICATE", amount: 9, duplicateOf });
    expect(await availableIn(wallet)).toBe(1250);
    const elsewhere = await givenBank();
    expect(statusOf(await elsewhere.report(elsewhere.arrived({ bankReference })))).toBe("applied");
  });

  it.each([
    ["names no Wallet or Card", () => ["a word"], {}, "ACCOUNT_UNKNOWN"],
    ["has no text", () => [], {}, "ACCOUNT_UNKNOWN"],
    ["has an id with another character", (wallet: string) => [wallet.slice(0, -2)], {}, "ACCOUNT_UNKNOWN"],
    ["names another Program's Wallet", () => [newId("wallet")], {}, "ACCOUNT_UNKNOWN"],
    ["is in another currency", (wallet: string) => [wallet], { currency: "EUR" }, "CURRENCY_MISMATCH"],
  ])("goes to suspense where it %s, and can be returned from there", async (_, textsOf, more, reason) => {
    const { programId, wallet, arrived, returned, report, depositOf, availableIn } = await givenBank();
    const remittance = textsOf(wallet);
    expect(await report(arrived({ remittance, ...more }))).toEqual({ status: "suspense", programId });
    const { depositId } = await depositOf();
    const item = await suspenseItems.at(programId, depositId).get();
    expect(item).toMatchObject({ reason, status: SuspenseStatus.cleared, channel: "bank" });
    const [event] = await storedEvents(programId);
    const accountId = reason === "ACCOUNT_UNKNOWN" ? undefined : wallet;
    expect(event).toMatchObject({ kind: "deposit.suspended", detail: { reason } });
    expect(event?.detail.accountId).toBe(accountId);
    expect(statusOf(await report(returned()))).toBe("applied");
    expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(SuspenseStatus.returned);
    expect(await availableIn(wallet)).toBe(0);
  });

  it("goes to suspense for a closed Card", async () => {
    const { programId, arrived, report } = await givenBank();
    const card = await givenStoredCard(programId, CardStatus.closed);
    expect(statusOf(await report(arrived({ remittance: [card] })))).toBe("suspense");
  });

  it("is rejected on an account that no Program has", async () => {
    const { arrived, report } = await givenBank();
    const account = makeIban(newId("program"));
    expect(await report(arrived({ account }))).toEqual({
      status: "rejected",
      reason: `No Program collects on ${account}.`,
    });
  });

  it("is finished by the repetition of a report that was cut off", async () => {
    const { wallet, arrived, report, availableIn } = await givenBank();
    {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      await expect(report(arrived(), "file#1")).rejects.toThrow();
    }
    expect(statusOf(await report(arrived(), "file#1"))).toBe("applied");
    expect(await availableIn(wallet)).toBe(1250);
  });

  it.each(["the webhook", "the file"])(
    "is one deposit where the Program's account changes after %s",
    async (first) => {
      const { programId, arrived, report, announce, collectOn, availableIn } = await givenBank();
      const account = makeIban(newId("program"));
      const byFile = () => report(arrived({ account }));
      if (first === "the file") await collectOn(account);
      const outcomes = [await (first === "the file" ? byFile() : announce())];
      await collectOn(first === "the file" ? makeIban(newId("program")) : account);
      outcomes.push(await (first === "the file" ? announce() : byFile()), await announce(), await byFile());
      expect(outcomes.map(statusOf)).toEqual(["applied", "duplicate", "duplicate", "duplicate"]);
      expect(outcomes.every((one) => one.programId === programId)).toBe(true);
      expect(await availableIn()).toBe(1250);
    },
  );

  it("is one deposit where webhook and files of two accounts race, and one more for the second account", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { arrived, report, announce, collectOn, availableIn } = await givenBank();
      const other = await collectOn(makeIban(newId("program")));
      const ofOther = () => report(arrived({ account: other }), "file#2");
      await Promise.all([announce(), report(arrived(), "file#1"), announce(), ofOther()]);
      expect(await availableIn()).toBe(2500);
      for (const again of [report(arrived()), announce(), report(arrived({ account: other }))])
        expect(statusOf(await again)).toBe("duplicate");
      expect(await availableIn()).toBe(2500);
    }
  });

  it("is known by an account's reference of its own where two banks of a Program use the same", async () => {
    const { arrived, report, announce, collectOn, availableIn } = await givenBank();
    await announce();
    const other = await collectOn(makeIban(newId("program")));
    expect(statusOf(await report(arrived()))).toBe("duplicate");
    expect(statusOf(await report(arrived({ account: other, amount: 700 })))).toBe("applied");
    expect(statusOf(await announce({ amount: 700 }))).toBe("duplicate");
    expect(await availableIn()).toBe(1950);
  });
});
