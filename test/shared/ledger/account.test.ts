import { describe, expect, it } from "vitest";
import { type Account, toBalances } from "../../../shared/ledger/account.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";

describe("an account", () => {
  it("is read with its currency and balances, and nothing of a card's own", async () => {
    const programId = await givenStoredProgram();
    const card: Account = { kind: "card", accountId: await givenStoredCard(programId, 2, 30) };
    const wallet: Account = { kind: "wallet", accountId: await givenStoredWallet(programId, 20) };
    const empty = { heldMinor: 0, pendingDepositMinor: 0, currency: 0 };
    expect(await readAccount(programId, card)).toMatchObject({
      ...empty,
      availableMinor: 30,
      ledgerMinor: 30,
    });
    expect(await readAccount(programId, wallet)).toMatchObject({
      ...empty,
      availableMinor: 20,
      ledgerMinor: 20,
    });
  });

  it("is nothing by another kind, and nothing to another Program", async () => {
    const programId = await givenStoredProgram();
    const accountId = await givenStoredWallet(programId, 20);
    expect(await readAccount(programId, { kind: "card", accountId })).toBeUndefined();
    expect(await readAccount(await givenStoredProgram(), { kind: "wallet", accountId })).toBeUndefined();
  });

  it("is read as the last write left it: an eventually consistent read could decide about money that is gone", async () => {
    const programId = await givenStoredProgram();
    using faults = injectFaults(() => undefined);
    await readAccount(programId, { kind: "wallet", accountId: "wlt_1" });
    expect(faults.calls.map(({ input }) => input.ConsistentRead)).toEqual([true]);
  });

  it("has the available and the ledger balance", () => {
    const stored = { availableMinor: 5, heldMinor: 2, pendingDepositMinor: 1, ledgerMinor: 8 };
    expect(toBalances(stored)).toEqual({ availableBalance: 5, ledgerBalance: 8 });
  });
});
