import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { hasStatusIn } from "../../../shared/cards/card.ts";
import type { AccountChange } from "../../../shared/ledger/account.ts";
import { type Commit, commit, sendCommit } from "../../../shared/ledger/commit.ts";
import { openHotWallets, requireHotWallets } from "../../../shared/ledger/hot-wallets.ts";
import { journalEntry } from "../../../shared/ledger/journal-entry.ts";
import { feeCharged } from "../../../shared/ledger/movements.ts";
import { transferred } from "../../../shared/ledger/postings.ts";
import { now } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { outboxPut } from "../../../shared/platform/outbox/outbox-put.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { atLeast, below } from "../../../shared/platform/table/condition.ts";
import { ContendedError } from "../../../shared/platform/table/retry.ts";
import { beingWritten, DoneBeforeError, withOnce } from "../../../shared/platform/table/transact.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { newWallet, walletPut, wallets } from "../../../shared/wallets/wallet.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { storedItems } from "../../harness/stored.ts";

type Requirements = Pick<AccountChange, "require" | "balances">;

/** Sweeps 40 of a card into a wallet, as closing a card does. */
async function givenSweep(requirements: Requirements = {}, set?: AccountChange["set"]) {
  const programId = await givenStoredProgram();
  const card = await givenStoredCard(programId, 1, 40);
  const wallet = await givenStoredWallet(programId);
  const at = now();
  const sweep = {
    programId,
    at,
    entry: journalEntry("card_sweep", card, transferred(card, wallet, 40), at),
    accounts: [
      {
        name: "card",
        account: { kind: "card", accountId: card },
        ...requirements,
        ...(set && { set }),
      },
      { name: "wallet", account: { kind: "wallet", accountId: wallet } },
    ],
    writes: [outboxPut(programId, "card.swept", { cardId: card }, at)],
  } satisfies Commit;
  return { programId, card, wallet, sweep };
}

describe("commit", () => {
  it("changes balances and further attributes of one item together", async () => {
    const { programId, card, wallet, sweep } = await givenSweep(
      { require: hasStatusIn([1, 2]), balances: { availableMinor: 40, heldMinor: 0, ledgerMinor: 40 } },
      { issuerCardStatus: 3 },
    );
    expect(await commit(sweep)).toEqual({ outcome: "committed" });
    const items = await expectBooksInOrder(programId, { statements: false });
    expect(items.find(({ pk, sk }) => pk.endsWith(card) && sk === "CARD")).toMatchObject({
      issuerCardStatus: 3,
      availableMinor: 0,
      ledgerMinor: 0,
    });
    expect(balancesIn(items, wallet).availableMinor).toBe(40);
  });

  it.each<[string, Requirements]>([
    ["a status", { require: hasStatusIn([2, 3]) }],
    ["at least so much", { require: { availableMinor: atLeast(41) } }],
    ["less than so much", { require: { availableMinor: below(40) } }],
    ["balances as they were seen", { balances: { availableMinor: 39 } }],
    ["one of several things", { require: { availableMinor: atLeast(40) }, balances: { heldMinor: 1 } }],
  ])("writes nothing at all where the account does not have %s that is required", async (_, requirements) => {
    const { programId, sweep } = await givenSweep(requirements);
    const before = await storedItems(programId);
    const outcome = await commit(sweep);
    expect(outcome.outcome === "failed" && [...outcome.failedConditions.keys()]).toEqual(["card"]);
    expect(outcome.outcome === "failed" && outcome.failedConditions.get("card")).toMatchObject({
      availableMinor: 40,
    });
    expect(await storedItems(programId)).toEqual(before);
  });

  it.each<[string, Requirements]>([
    ["at least so much", { require: { availableMinor: atLeast(40) } }],
    ["less than so much", { require: { availableMinor: below(41) } }],
  ])("commits where the account has just %s", async (_, requirements) => {
    const { sweep } = await givenSweep(requirements);
    expect(await commit(sweep)).toEqual({ outcome: "committed" });
  });

  it("names every account that does not exist, and writes nothing", async () => {
    const { programId, sweep, wallet } = await givenSweep();
    const before = await storedItems(programId);
    const nobody = newId("card");
    const [, destination] = sweep.accounts;
    if (!destination) throw new Error("unreachable");
    const outcome = await commit({
      ...sweep,
      entry: journalEntry("card_sweep", nobody, transferred(nobody, wallet, 1), sweep.at),
      accounts: [{ name: "card", account: { kind: "card", accountId: nobody } }, destination],
    });
    expect(outcome).toEqual({ outcome: "failed", failedConditions: new Map([["card", undefined]]) });
    expect(await storedItems(programId)).toEqual(before);
  });

  it("leaves an account to the write that creates it", async () => {
    const programId = await givenStoredProgram();
    const walletId = newId("wallet");
    const created = walletPut(programId, newWallet({ walletId, name: "Test", currency: 0 }, now()));
    const account = { kind: "wallet", accountId: walletId } as const;
    const accounts = [{ name: "wallet", account, isCreated: true }];
    expect(await commit({ programId, at: now(), accounts, writes: [created] })).toEqual({
      outcome: "committed",
    });
  });

  it("counts each of several entries where it touches, and names the first", async () => {
    const { programId, card, wallet, sweep } = await givenSweep();
    const items = async () => {
      const found = await storedItems(programId);
      return [card, wallet].map((id) => found.find(({ pk, sk }) => pk.endsWith(id) && /^[CW]/.test(sk)));
    };
    const counts = async () => (await items()).map((item) => Number(item?.entries));
    const [ofCard = 0, ofWallet = 0] = await counts();
    const fee = journalEntry("fee", "fee_1", feeCharged(card, 3), sweep.at);
    await commit({ ...sweep, entry: fee, furtherEntries: sweep.entry ? [sweep.entry] : [] });
    expect(await counts()).toEqual([ofCard + 2, ofWallet + 1]);
    expect((await items()).map((item) => item?.moved)).toEqual(["fee fee_1", `card_sweep ${card}`]);
    expect(balancesIn(await expectBooksInOrder(programId, { statements: false }), card).ledgerMinor).toBe(-3);
  });

  it("does not take a missing balance for zero", async () => {
    const { programId, wallet, sweep } = await givenSweep();
    const Key = wallets.key(programId, wallet);
    const TableName = environment.issuingTable;
    await table.send(new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE ledgerMinor" }));
    const before = await storedItems(programId);
    await expect(commit(sweep)).rejects.toThrow();
    expect(await storedItems(programId)).toEqual(before);
  });

  it("does not let postings touch an account that is not part of the commit", async () => {
    const { sweep } = await givenSweep();
    await expect(commit({ ...sweep, accounts: sweep.accounts.slice(0, 1) })).rejects.toThrow(
      /not in the commit/,
    );
  });

  it("leaves the entry whole with each account that it touches", async () => {
    const { programId, card, wallet, sweep } = await givenSweep();
    await commit(sweep);
    const entries = (await storedItems(programId)).filter(({ kind }) => kind === "card_sweep");
    expect(entries.map(({ pk }) => pk)).toEqual([`${programId}#${card}`, `${programId}#${wallet}`]);
    for (const { pk: _pk, sk, listed: _, ...entry } of entries) {
      expect(entry).toEqual({
        entryId: expect.stringMatching(/^jrn_/),
        kind: "card_sweep",
        relatedId: card,
        createdAt: sweep.at.toISOString(),
        postings: transferred(card, wallet, 40),
      });
      expect(sk).toBe(`ENTRY#${entry.entryId}`);
    }
  });

  it("never books an entry twice, and never changes one", async () => {
    const { programId, sweep } = await givenSweep();
    const again = { ...sweep, writes: [] };
    await commit(again);
    const before = await storedItems(programId);
    const outcome = await commit(again);
    expect(outcome.outcome === "failed" && [...outcome.failedConditions.keys()]).toEqual(["entry"]);
    expect(await storedItems(programId)).toEqual(before);
  });

  it("only requires, where nothing of an account changes", async () => {
    const { programId, card, sweep } = await givenSweep();
    const { entry: _, ...nothingMoves } = sweep;
    const [first] = sweep.accounts;
    if (!first) throw new Error("unreachable");
    using faults = injectFaults(() => undefined);
    expect(await commit({ ...nothingMoves, accounts: [first] })).toEqual({ outcome: "committed" });
    // DynamoDB refuses names and values of nothing, which the engine of these tests lets pass.
    expect(JSON.stringify(faults.calls)).not.toMatch(/"ExpressionAttribute(Names|Values)":\{\}/);
    expect(balancesIn(await expectBooksInOrder(programId), card).availableMinor).toBe(40);
  });
});

describe("the end of a commit", () => {
  it("is told to the door of hot Wallets, which only what touches a Wallet goes through", async () => {
    const door = requireHotWallets();
    const ended: boolean[] = [];
    const release = async (wentWell: boolean) => void ended.push(wentWell);
    openHotWallets({ ...door, place: (...given) => ({ ...door.place(...given), release }) });
    try {
      const { card, sweep } = await givenSweep();
      expect(await commit(sweep)).toEqual({ outcome: "committed" });
      const { sweep: refused } = await givenSweep({ require: { availableMinor: atLeast(41) } });
      expect(await commit(refused)).toMatchObject({ outcome: "failed" });
      const { programId, wallet, sweep: broken } = await givenSweep();
      const Key = wallets.key(programId, wallet);
      const UpdateExpression = "REMOVE ledgerMinor";
      await table.send(new UpdateCommand({ TableName: environment.issuingTable, Key, UpdateExpression }));
      await expect(commit(broken)).rejects.toThrow();
      const entry = journalEntry("fee", card, feeCharged(card, 3), now());
      const accounts = sweep.accounts.slice(0, 1);
      expect(await commit({ ...sweep, entry, accounts, writes: [] })).toEqual({
        outcome: "committed",
      });
      expect(ended).toEqual([true, false, false]);
    } finally {
      openHotWallets(door);
    }
  });

  it("takes what is to be done once with the first that is committed, and ends what was done before", async () => {
    const { programId, sweep } = await givenSweep();
    const { sweep: refused } = await givenSweep({ require: { availableMinor: atLeast(41) } });
    const walletId = newId("wallet");
    const write = walletPut(programId, newWallet({ walletId, name: "Once", currency: 0 }, now()));
    const once = { write: { ...write, name: "once" }, isWritten: false };
    await withOnce(once, async () => {
      expect(await commit(refused)).toMatchObject({ outcome: "failed" });
      expect(once.isWritten).toBe(false);
      expect(await commit(sweep)).toEqual({ outcome: "committed" });
      expect(once.isWritten).toBe(true);
    });
    const { sweep: another } = await givenSweep();
    const repeated = withOnce({ ...once, isWritten: false }, () => commit(another));
    await expect(repeated).rejects.toThrow(DoneBeforeError);
  });

  it("gives a record back after so many conflicts as if its condition had failed, and no other", async () => {
    const programId = await givenStoredProgram();
    const write = (name: string) => {
      const walletId = newId("wallet");
      return { ...walletPut(programId, newWallet({ walletId, name, currency: 0 }, now())), name };
    };
    using faults = injectFaults(({ command }) => (command === "TransactWriteItems" ? "conflict" : undefined));
    const given = await sendCommit([{ ...write("usage"), givenBackAfter: 2 }, write("other")], () => 0);
    expect(given).toEqual({
      outcome: "failed",
      failedConditions: new Map([["usage", beingWritten]]),
      contended: ["usage"],
    });
    expect(faults.calls).toHaveLength(2);
    const waiting = [write("other"), { ...write("usage"), givenBackAfter: 2 }];
    const failure = await withinTime(100, () => sendCommit(waiting, () => 0)).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ContendedError);
  });
});
