import { describe, expect, it } from "vitest";
import type { BankEvent } from "../../../../shared/contract/bank.ts";
import { givenBank, statusOf } from "./given-bank.ts";

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
