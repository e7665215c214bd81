import { describe, expect, it } from "vitest";
import { movedAlso } from "../../../shared/issuing/chosen.ts";
import {
  type Account,
  type AccountChange,
  accountAction,
  toBalances,
} from "../../../shared/ledger/account.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { zeroBalances } from "../../../shared/ledger/postings.ts";
import { atLeast } from "../../../shared/platform/table/condition.ts";
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

describe("a change of an account", () => {
  const cause = { kind: "fee", relatedId: "fee_1", count: 2 };
  const change = (fields: Partial<AccountChange>, minor?: number, kind: Account["kind"] = "wallet") => {
    const delta = minor === undefined ? undefined : { ...zeroBalances, availableMinor: minor };
    const account = { kind, accountId: "one" };
    return accountAction("prg_1", { name: "account", account, ...fields }, delta, cause);
  };
  const require = { heldMinor: atLeast(1) };

  it.each<[what: string, action: () => ReturnType<typeof change>, isOfWhole: boolean]>([
    ["requires something of a Wallet", () => change({ require }), true],
    ["requires a balance of a Wallet", () => change({ balances: { ledgerMinor: 1 } }), true],
    ["requires something of a Card", () => change({ require }, -5, "card"), false],
    ["takes from a Wallet whatever it has", () => change({}, -5), true],
    ["takes what a Wallet has", () => change({ isCovered: true }, -5), false],
    ["takes from a Card", () => change({}, -5, "card"), false],
    ["moves nothing of a Wallet", () => change({}, 0), false],
    ["adds to a Wallet", () => change({}, 5), false],
  ])("that %s is decided by the whole Wallet: %#", (_, action, isOfWhole) => {
    expect(JSON.stringify(action()).includes('"shards"')).toBe(isOfWhole);
  });

  it("is written where it changes something, with what moved it, else checked", () => {
    expect(change({ require })).toHaveProperty("ConditionCheck");
    expect(change({ remove: ["top_up"] })).toHaveProperty("Update");
    const moved = JSON.stringify(change({ set: { one: 1 } }, 5));
    expect(moved).toContain('"fee fee_1"');
    expect(moved).toMatch(/:2[,}]/);
    expect(JSON.stringify(change({ isCovered: true }, -5))).toMatch(/>= :\w+/);
  });

  it("names each of several entries with which the account begins, with what it left", () => {
    const balances = { availableMinor: 7, ledgerMinor: 9 };
    expect(movedAlso({ moved: undefined, ...balances }, cause)).toEqual({ moved: "fee fee_1" });
    expect(movedAlso({ moved: "top_up trf_1", ...balances }, cause)).toEqual({
      moved: "top_up trf_1 7 9;fee fee_1",
    });
  });
});
