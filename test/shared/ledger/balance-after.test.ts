import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cards, hasStatusIn } from "../../../shared/cards/card.ts";
import type { AccountChange } from "../../../shared/ledger/account.ts";
import { type Commit, commit } from "../../../shared/ledger/commit.ts";
import { journalEntry } from "../../../shared/ledger/journal-entry.ts";
import { feeCharged } from "../../../shared/ledger/movements.ts";
import { transferred } from "../../../shared/ledger/postings.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { log } from "../../../shared/platform/log.ts";
import { outboxPut } from "../../../shared/platform/outbox/outbox-put.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { atLeast } from "../../../shared/platform/table/condition.ts";
import { ContendedError } from "../../../shared/platform/table/retry.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { randomFrom } from "../../harness/random.ts";
import { storedEvents, storedItems } from "../../harness/stored.ts";

type Requirements = Pick<AccountChange, "require" | "balances">;
type BalanceAfter = NonNullable<Commit["balanceAfter"]>;

describe("commit, where an event holds the balance after it", () => {
  let programId: string;
  let card: string;

  beforeEach(async () => {
    programId = await givenStoredProgram();
    card = await givenStoredCard(programId, 1, 40);
    vi.spyOn(log, "measured");
  });
  afterEach(() => {
    vi.restoreAllMocks();
    table.middlewareStack.remove("overtake");
  });

  /** A fee of 3, whose event holds the balance. */
  const fee = (balanceAfter: Partial<BalanceAfter> = {}, require: Requirements = {}) => {
    const at = now();
    return {
      programId,
      at,
      entry: journalEntry("fee", card, feeCharged(card, 3), at),
      accounts: [{ name: "account", account: { kind: "card", accountId: card }, ...require }],
      writes: [],
      balanceAfter: {
        name: "account",
        writes: (ledgerMinor) => [outboxPut(programId, "card.swept", { cardId: `${ledgerMinor}` }, at)],
        ...balanceAfter,
      },
    } satisfies Commit;
  };
  const written = async () =>
    (await storedEvents(programId))
      .filter(({ kind }) => kind === "card.swept")
      .map(({ detail }) => Number((detail as { cardId: string }).cardId))
      .toSorted((one, other) => one - other);
  /** Commits, and counts the transactions that it took. */
  const counted = async (given: Commit) => {
    using faults = injectFaults(() => undefined);
    const outcome = await commit(given);
    const transactions = faults.calls.filter(({ command }) => command === "TransactWriteItems").length;
    return { outcome, transactions };
  };
  /** Commits, and names what was called, but for what the test itself does. */
  const called = async (given: Commit) => {
    using faults = injectFaults(() => undefined);
    expect(await commit(given)).toEqual({ outcome: "committed" });
    return faults.calls.map(({ command }) => command).filter((command) => command !== "UpdateItem");
  };
  const committed = (transactions: number) => ({ outcome: { outcome: "committed" }, transactions });
  const failedOnce = (failedConditions: unknown) => ({
    outcome: { outcome: "failed", failedConditions },
    transactions: 1,
  });

  const expectMeasured = (facts: object) =>
    expect(vi.mocked(log.measured).mock.calls).toEqual([
      ["The write was contended.", expect.objectContaining(facts)],
    ]);

  /** Before each of `times` transactions another one adds 1 to the card. Waits take no time. */
  const overtake = (times: number) => {
    const wait = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) =>
      wait(run, ms !== undefined && ms <= 500 ? 0 : ms)) as typeof setTimeout);
    let left = times;
    const increment = new UpdateCommand({
      TableName: process.env.ISSUING_TABLE,
      Key: { ...cards.key(programId, card) },
      UpdateExpression: "ADD ledgerMinor :one, availableMinor :one",
      ExpressionAttributeValues: { ":one": 1 },
    });
    table.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === "TransactWriteItemsCommand" && left > 0) {
          left -= 1;
          await table.send(increment);
        }
        return next(args);
      },
      { step: "initialize", name: "overtake" },
    );
  };

  it("works it out from the balance that it reads", async () => {
    expect(await counted(fee())).toEqual(committed(1));
    expect(await written()).toEqual([37]);
    expect(log.measured).not.toHaveBeenCalled();
  });

  it("works it out from a balance that was read before, without reading it again", async () => {
    using faults = injectFaults(() => undefined);
    await commit(fee({ seenMinor: 40 }));
    expect(faults.calls.map(({ command }) => command)).toEqual(["TransactWriteItems"]);
    expect(await written()).toEqual([37]);
  });

  it("is the present balance where no money moves", async () => {
    const { entry: _, ...nothingMoves } = fee();
    expect(await commit(nothingMoves)).toEqual({ outcome: "committed" });
    expect(await written()).toEqual([40]);
  });

  it("commits the other writes too", async () => {
    const other = outboxPut(programId, "card.status_changed", { cardId: card }, now());
    await commit({ ...fee(), writes: [other] });
    expect((await storedEvents(programId)).map(({ kind }) => kind)).toContain("card.status_changed");
  });

  it("is right, and written once, where the balance was seen wrong: takes the one that it meets", async () => {
    expect(await called(fee({ seenMinor: 25 }))).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(await written()).toEqual([37]);
    expect(log.measured).not.toHaveBeenCalled();
  });

  const guessing = () => fee({ mayGuess: true });

  it("guesses that this process moved it last, where it may, and is right if another did", async () => {
    const [once, read] = [["TransactWriteItems"], ["GetItem", "TransactWriteItems"]];
    for (const calls of [read, once]) expect(await called(guessing())).toEqual(calls);
    expect(await called(fee())).toEqual(read);
    expect(await called(guessing())).toEqual([...once, ...once]);
    for (const calls of [read, read, once]) expect(await called(guessing())).toEqual(calls);
    overtake(2);
    expect(await called(guessing())).toEqual([...once, ...once, ...read]);
    expect(await written()).toEqual([18, 19, 22, 25, 28, 31, 34, 37]);
  });

  it("guesses seldom where two processes take turns: a wrong guess is a cancelled transaction", async () => {
    const random = randomFrom(7);
    let wrong = 0;
    for (let turn = 0; turn < 100; turn += 1)
      // Another process knows no guess of this one's.
      if (random.chance(0.5)) await commit(fee());
      else wrong += (await counted(guessing())).transactions - 1;
    expect(wrong).toBeLessThan(12);
  });

  it.each([
    ["as it is read", {}, [5, 35]],
    ["as it was seen, also if it has changed", { seenMinor: 90 }, [90, 120]],
  ])("is that of a Wallet that others move too, %s, with what the entry adds", async (_, seen, expected) => {
    const wallet = await givenStoredWallet(programId, 5);
    const account = { kind: "wallet", accountId: wallet } as const;
    const shared = { name: wallet, shared: account, ...seen };
    await commit(fee(shared));
    const { accounts, ...sweep } = fee(shared);
    const entry = journalEntry("card_sweep", card, transferred(card, wallet, 30), now());
    await commit({ ...sweep, entry, accounts: [...accounts, { name: wallet, account }] });
    expect(await written()).toEqual(expected);
  });

  it("is right however often other writes come first, and measures how often", async () => {
    overtake(39);
    const again = ["GetItem", "TransactWriteItems"];
    expect(await called(fee())).toEqual(Array.from({ length: 40 }, () => again).flat());
    expect(await written()).toEqual([40 + 39 - 3]);
    expectMeasured({ actions: ["account"], givenUp: false, WriteConflicts: 39 });
  });

  it("requires nothing more of the entry's other accounts", async () => {
    const wallet = await givenStoredWallet(programId, 5);
    const at = now();
    const outcome = await commit({
      ...fee(),
      entry: journalEntry("card_sweep", card, transferred(card, wallet, 30), at),
      accounts: [
        { name: "account", account: { kind: "card", accountId: card } },
        { name: "wallet", account: { kind: "wallet", accountId: wallet } },
      ],
    });
    expect(outcome).toEqual({ outcome: "committed" });
    expect(await written()).toEqual([10]);
  });

  it("gives up when its time is up, and has written nothing", async () => {
    overtake(Number.POSITIVE_INFINITY);
    const failure = await withinTime(300, () => commit(fee())).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ContendedError);
    expect(failure).toMatchObject({ names: ["account"] });
    expect(await written()).toEqual([]);
    const entries = (await storedItems(programId)).filter(({ kind }) => kind === "fee");
    expect(entries).toEqual([]);
    expectMeasured({
      actions: ["account"],
      givenUp: true,
      WriteConflicts: expect.any(Number),
      WritesGivenUp: 1,
    });
  });

  it.each<[string, Requirements]>([
    ["another status", { require: hasStatusIn([2]) }],
    ["more money", { require: { availableMinor: atLeast(41) } }],
    ["another balance", { balances: { availableMinor: 39 } }],
  ])("fails at once where %s is required, since a retry would not help", async (_, require) => {
    const found = new Map([["account", expect.objectContaining({ ledgerMinor: 40 })]]);
    expect(await counted(fee({}, require))).toEqual(failedOnce(found));
    expect(await written()).toEqual([]);
  });

  it("fails at once where the caller requires another balance", async () => {
    const found = new Map([["account", expect.objectContaining({ ledgerMinor: 40 })]]);
    expect(await counted(fee({ seenMinor: 40 }, { balances: { ledgerMinor: 39 } }))).toEqual(
      failedOnce(found),
    );
  });

  it("takes the balance that is required for the one that was seen", async () => {
    using faults = injectFaults(() => undefined);
    await commit(fee({}, { balances: { ledgerMinor: 40 } }));
    expect(faults.calls.map(({ command }) => command)).toEqual(["TransactWriteItems"]);
    expect(await written()).toEqual([37]);
  });

  it("fails at once where the account does not exist", async () => {
    const nobody = newId("card");
    const at = now();
    const given: Commit = {
      ...fee(),
      entry: journalEntry("fee", nobody, feeCharged(nobody, 3), at),
      accounts: [{ name: "account", account: { kind: "card", accountId: nobody } }],
    };
    expect(await counted(given)).toEqual(failedOnce(new Map([["account", undefined]])));
  });

  it("fails at once where another condition fails, whether its balance was seen right or not", async () => {
    const other = { kind: "card", accountId: newId("card") } as const;
    for (const seenMinor of [40, 25]) {
      const given = fee({ seenMinor });
      const accounts = [...given.accounts, { name: "other", account: other }];
      const { outcome, transactions } = await counted({ ...given, accounts });
      expect(transactions).toBe(1);
      expect(outcome.outcome === "failed" && [...outcome.failedConditions.keys()]).toEqual(
        seenMinor === 40 ? ["other"] : ["account", "other"],
      );
    }
    expect(await written()).toEqual([]);
  });

  it("rejects the name of an account that is not part of the commit", async () => {
    await expect(commit(fee({ name: "stranger" }))).rejects.toThrow("stranger");
  });
});
