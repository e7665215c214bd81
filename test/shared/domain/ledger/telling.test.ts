import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AccountRequirements } from "../../../../shared/domain/ledger/account-change.ts";
import { feeCharged } from "../../../../shared/domain/ledger/card-movements.ts";
import { type Commit, commitEntry } from "../../../../shared/domain/ledger/commit-entry.ts";
import { journalEntry } from "../../../../shared/domain/ledger/journal-entry.ts";
import { transferred } from "../../../../shared/domain/ledger/movements.ts";
import { now } from "../../../../shared/platform/clock.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { log } from "../../../../shared/platform/log.ts";
import { outboxPut } from "../../../../shared/platform/outbox/outbox-put.ts";
import { table } from "../../../../shared/platform/table/client.ts";
import { issuingKey } from "../../../../shared/platform/table/keys.ts";
import { TransactionContendedError } from "../../../../shared/platform/table/transact.ts";
import { givenCard, givenProgram, givenWallet } from "../../../harness/books.ts";
import { injectFaults } from "../../../harness/faults.ts";
import { storedEvents, storedItems } from "../../../harness/stored.ts";

type Telling = NonNullable<Commit<never>["telling"]>;

describe("commitEntry, where an event tells the balance that it leaves", () => {
  let programId: string;
  let card: string;

  beforeEach(async () => {
    programId = await givenProgram();
    card = await givenCard(programId, 1, 40);
    vi.spyOn(log, "measured");
  });
  afterEach(() => {
    vi.restoreAllMocks();
    table.middlewareStack.remove("overtake");
  });

  /** A fee of 3, whose event tells the balance. */
  const fee = (telling: Partial<Telling> = {}, require?: AccountRequirements): Commit<never> => {
    const at = now();
    return {
      programId,
      at,
      entry: journalEntry("fee", card, feeCharged(card, 3), at),
      accounts: [
        { name: "account", account: { kind: "card", accountId: card }, ...(require && { require }) },
      ],
      writes: [],
      telling: {
        name: "account",
        writes: (ledgerMinor) => [outboxPut(programId, "card.swept", { cardId: `${ledgerMinor}` }, at)],
        ...telling,
      },
    };
  };
  const told = async () =>
    (await storedEvents(programId))
      .filter(({ kind }) => kind === "card.swept")
      .map(({ detail }) => Number((detail as { cardId: string }).cardId));
  /** Commits, and counts the transactions that it took. */
  const counted = async (commit: Commit<never>) => {
    using faults = injectFaults(() => undefined);
    const outcome = await commitEntry(commit);
    const transactions = faults.calls.filter(({ command }) => command === "TransactWriteItems").length;
    return { outcome, transactions };
  };
  const committed = (transactions: number) => ({ outcome: { outcome: "committed" }, transactions });
  const refusedOnce = (refusals: unknown) => ({ outcome: { outcome: "refused", refusals }, transactions: 1 });

  const expectMeasured = (facts: object) =>
    expect(vi.mocked(log.measured).mock.calls).toEqual([
      ["The write was contended.", expect.objectContaining(facts)],
    ]);

  /** Before each of so many transactions another one adds 1 to the card; the waits between them take no time. */
  const overtake = (times: number) => {
    const wait = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) =>
      wait(run, ms !== undefined && ms <= 500 ? 0 : ms)) as typeof setTimeout);
    let left = times;
    const increment = new UpdateCommand({
      TableName: process.env.ISSUING_TABLE,
      Key: { ...issuingKey.card(programId, card) },
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

  it("tells it from the balance that it reads", async () => {
    expect(await counted(fee())).toEqual(committed(1));
    expect(await told()).toEqual([37]);
    expect(log.measured).not.toHaveBeenCalled();
  });

  it("tells it from the balance that was read before, without reading again", async () => {
    using faults = injectFaults(() => undefined);
    await commitEntry(fee({ seenMinor: 40 }));
    expect(faults.calls.map(({ command }) => command)).toEqual(["TransactWriteItems"]);
    expect(await told()).toEqual([37]);
  });

  it("tells the balance as it is where no money moves", async () => {
    const { entry: _, ...nothingMoves } = fee();
    expect(await commitEntry(nothingMoves)).toEqual({ outcome: "committed" });
    expect(await told()).toEqual([40]);
  });

  it("writes what is not told along with it", async () => {
    const untold = outboxPut(programId, "card.status_changed", { cardId: card }, now());
    await commitEntry({ ...fee(), writes: [untold] });
    expect((await storedEvents(programId)).map(({ kind }) => kind)).toContain("card.status_changed");
  });

  it("tells the true balance where it was seen wrong, and nothing else", async () => {
    expect(await counted(fee({ seenMinor: 25 }))).toEqual(committed(2));
    expect(await told()).toEqual([37]);
  });

  it("tells the true balance however often others come between, and measures how often", async () => {
    overtake(39);
    expect(await counted(fee())).toEqual(committed(40));
    expect(await told()).toEqual([40 + 39 - 3]);
    expectMeasured({ actions: ["account"], givenUp: false, WriteConflicts: 39 });
  });

  it("asks nothing more of the other accounts of the entry", async () => {
    const wallet = await givenWallet(programId, 5);
    const at = now();
    const outcome = await commitEntry({
      ...fee(),
      entry: journalEntry("card_sweep", card, transferred(card, wallet, 30), at),
      accounts: [
        { name: "account", account: { kind: "card", accountId: card } },
        { name: "wallet", account: { kind: "wallet", accountId: wallet } },
      ],
    });
    expect(outcome).toEqual({ outcome: "committed" });
    expect(await told()).toEqual([10]);
  });

  it("gives up where others come between without end, and has written nothing", async () => {
    overtake(Number.POSITIVE_INFINITY);
    const failure = await commitEntry(fee()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransactionContendedError);
    expect(failure).toMatchObject({ actions: ["account"] });
    expect(await told()).toEqual([]);
    const entries = (await storedItems(programId)).filter(({ kind }) => kind === "fee");
    expect(entries).toEqual([]);
    expectMeasured({ actions: ["account"], givenUp: true, WriteConflicts: 40, WritesGivenUp: 1 });
  });

  it.each<[string, AccountRequirements]>([
    ["another status", { issuerCardStatusIn: [2] }],
    ["more money", { availableAtLeastMinor: 41 }],
    ["another balance", { balances: { availableMinor: 39 } }],
  ])("is refused at once where %s is required, since trying again does not help", async (_, require) => {
    const found = new Map([["account", expect.objectContaining({ ledgerMinor: 40 })]]);
    expect(await counted(fee({}, require))).toEqual(refusedOnce(found));
    expect(await told()).toEqual([]);
  });

  it("is refused at once where the balance is no longer the one that is required", async () => {
    const found = new Map([["account", expect.objectContaining({ ledgerMinor: 40 })]]);
    expect(await counted(fee({ seenMinor: 40 }, { balances: { ledgerMinor: 39 } }))).toEqual(
      refusedOnce(found),
    );
  });

  it("takes the balance that is required as seen", async () => {
    using faults = injectFaults(() => undefined);
    await commitEntry(fee({}, { balances: { ledgerMinor: 40 } }));
    expect(faults.calls.map(({ command }) => command)).toEqual(["TransactWriteItems"]);
    expect(await told()).toEqual([37]);
  });

  it("is refused at once where there is no such account", async () => {
    const nobody = newId("card");
    const at = now();
    const commit: Commit<never> = {
      ...fee(),
      entry: journalEntry("fee", nobody, feeCharged(nobody, 3), at),
      accounts: [{ name: "account", account: { kind: "card", accountId: nobody } }],
    };
    expect(await counted(commit)).toEqual(refusedOnce(new Map([["account", undefined]])));
  });

  it("is refused at once by what else is refused, whether its balance was seen right or not", async () => {
    const other = { kind: "card", accountId: newId("card") } as const;
    for (const seenMinor of [40, 25]) {
      const commit = fee({ seenMinor });
      const accounts = [...commit.accounts, { name: "other", account: other }];
      const { outcome, transactions } = await counted({ ...commit, accounts });
      expect(transactions).toBe(1);
      expect(outcome.outcome === "refused" && [...outcome.refusals.keys()]).toEqual(
        seenMinor === 40 ? ["other"] : ["account", "other"],
      );
    }
    expect(await told()).toEqual([]);
  });

  it("cannot tell the balance of an account that is not part of the commit", async () => {
    await expect(commitEntry(fee({ name: "stranger" }))).rejects.toThrow("stranger");
  });
});
