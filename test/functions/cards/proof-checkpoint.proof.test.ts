import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as indexer } from "../../../functions/list-indexer/handler.ts";
import { cards } from "../../../shared/cards/card.ts";
import type { Account } from "../../../shared/ledger/account.ts";
import { listAttributes } from "../../../shared/lists/kind.ts";
import { randomToken } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { checkpoints, keepCheckpoint } from "../../../shared/proofs/checkpoint.ts";
import { proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { injectFaults } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { countEntries, givenHistory, settlement } from "../../harness/given-journal.ts";
import { givenProvableCard, type ProvableCard } from "../../harness/given-provable-card.ts";
import { measure } from "../../harness/measure.ts";
import { storedItems } from "../../harness/stored.ts";
import { eventOf, newEntry, rowOf } from "../../shared/lists/given-list.ts";

const minute = 60_000;
const cardIndex = listAttributes(transactionList).indexOf("cardId");
let day = 0;
let given: ProvableCard;
let programId: string;
let account: Account;

beforeEach(async () => {
  // Ids never go back in time.
  day += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2043, 0, day) });
  given = await givenProvableCard();
  ({ programId } = given.program);
  account = { kind: "card", accountId: given.cardId };
});
afterEach(() => void vi.useRealTimers());

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const history = (count = 300, memo?: string) =>
  givenHistory({ programId, account, count, since: new Date(), ...(memo && { memo }) });
const checkpoint = () => checkpoints.at(programId, given.cardId).get();

/** A checkpoint of 300 entries, an hour later. */
async function givenCheckpoint(): Promise<void> {
  await history();
  later(minute * 60);
  await advanceCheckpoint(programId, account);
  expect(await checkpoint()).toMatchObject({ journalEntries: 300 });
}

/** Commits with an id from before the checkpoint. */
async function commitLate(amountMinor: number): Promise<void> {
  const at = new Date(Date.now() - 50 * minute);
  await transact(
    settlement(programId, given.cardId, at, amountMinor).writes.map((one) => ({ ...one, alongside: [] })),
  );
  await countEntries({ programId, account, count: 1, balanceMinor: amountMinor });
}

/** What a proof from the whole journal says too. */
async function expectProven(figures: object): Promise<void> {
  const proof = await given.prove();
  const { checkpoint: _, ...whole } = await proveFromJournal(programId, account);
  expect(proof).toMatchObject({ ...whole, proven: true, ...figures });
}

describe("GET /cards/{cardId}/balance/proof, 200: continues a checkpoint", () => {
  test("that the first proof of a long journal writes", async () => {
    await history();
    later(minute - 1);
    await expectProven({ journalEntries: 300 });
    expect(await checkpoint()).toBeUndefined();
    later(minute);
    await expectProven({ journalEntries: 300 });
    await given.used();
    expect((await given.prove()).checkpoint).toEqual({
      journalEntries: 300,
      until: new Date(Date.now() - minute).toISOString(),
    });
    await expectProven({ journalEntries: 305, openHolds: { count: 1, amount: 1_500 } });
  });

  test("and reads no more of a long journal than of a short one", async () => {
    const units: number[] = [];
    for (const count of [300, 3_000]) {
      await history(count);
      later(2 * minute);
      await advanceCheckpoint(programId, account);
      await given.used();
      units.push((await measure(given.prove)).cost.readUnits);
      later(2 * minute);
    }
    const [few = 0, many = 0] = units;
    expect(many).toBeLessThanOrEqual(few + 10);
  });

  test("with holds and pending deposits that are open, and those that have ended since", async () => {
    await given.used();
    const { depositId = "" } = await given.onCard("deposits", { amount: 5 });
    const { authorizationId = "" } = await given.onCard("authorizations", { amount: 40 });
    await history();
    later(2 * minute);
    await advanceCheckpoint(programId, account);
    expect(await checkpoint()).toMatchObject({ journalEntries: 307 });
    await expectProven({
      openHolds: { count: 2, amount: 1_540 },
      pendingDeposits: { count: 2, amount: 3_005 },
    });
    await given.done("POST /authorizations/{authorizationId}/increment", { authorizationId }, { amount: 2 });
    await expectProven({ openHolds: { count: 2, amount: 1_542 } });
    await given.done("POST /authorizations/{authorizationId}/clear", { authorizationId }, { amount: 42 });
    await given.done("POST /deposits/{depositId}/reverse", { depositId });
    await expectProven({
      openHolds: { count: 1, amount: 1_500 },
      pendingDeposits: { count: 1, amount: 3_000 },
      checkpoint: { journalEntries: 307 },
    });
    // The next checkpoint knows that they have ended.
    await history();
    later(2 * minute);
    await expectProven({ openHolds: { count: 1, amount: 1_500 } });
    expect(await checkpoint()).toMatchObject({ journalEntries: 610, depositIds: [expect.anything()] });
    await expectProven({ checkpoint: { journalEntries: 610 } });
  });

  test("of a Card in debt, and of a Closed one", async () => {
    await givenCheckpoint();
    await given.onCard("force-post", { amount: 9_000 });
    const { availableBalance } = await given.prove();
    expect(availableBalance).toBeLessThan(-7_000);
    await expectProven({ checkpoint: { journalEntries: 300 } });
    await given.onCard("bank-deposit", { amount: 9_500 });
    const { walletId: sweepToWalletId = "" } = await given.done("POST /wallets", {}, { name: "Rest" });
    await given.onCard("close", { sweepToWalletId });
    await expectProven({ checkpoint: { journalEntries: 300 }, availableBalance: 0, ledgerBalance: 0 });
  });
});

describe("a checkpoint", () => {
  test("that lacks a late entry is found by the count alone, and replaced", async () => {
    await givenCheckpoint();
    await commitLate(9);
    await commitLate(-9);
    await expectProven({ journalEntries: 302 });
    expect((await given.prove()).checkpoint).toMatchObject({ journalEntries: 302 });
  });

  test("that is wrong is replaced by the proof", async () => {
    await givenCheckpoint();
    await overwrite(checkpoints.at(programId, given.cardId).key, { settledDebitsMinor: 1 });
    await expectProven({ journalEntries: 300 });
    expect((await given.prove()).checkpoint).toMatchObject({ journalEntries: 300 });
  });

  test("does not make wrong balances proven", async () => {
    await givenCheckpoint();
    await overwrite(cards.key(programId, given.cardId), { heldMinor: 1 });
    expect(await given.broken()).toEqual(["storedHeld"]);
    await overwrite(cards.key(programId, given.cardId), { heldMinor: 0, entries: 301 });
    expect(await given.broken()).toEqual(["entries"]);
  });

  test("never replaces a newer one", async () => {
    await givenCheckpoint();
    const seen = await checkpoint();
    await history();
    later(2 * minute);
    await Promise.all([1, 2, 3].map(() => advanceCheckpoint(programId, account)));
    expect(await checkpoint()).toMatchObject({ journalEntries: 600, version: 2 });
    await keepCheckpoint(programId, account, { ...seen, journalEntries: 1 } as never, seen);
    await keepCheckpoint(programId, account, { ...seen, journalEntries: 1 } as never, undefined);
    expect(await checkpoint()).toMatchObject({ journalEntries: 600, version: 2 });
  });

  test("that cannot be written does not fail the proof: the next one writes it", async () => {
    await history();
    later(2 * minute);
    {
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" ? "server-error" : undefined,
      );
      await expectProven({ journalEntries: 300 });
    }
    expect(await checkpoint()).toBeUndefined();
    await expectProven({ journalEntries: 300 });
    await expectProven({ checkpoint: { journalEntries: 300 } });
  });

  test("grows over several proofs where one is too short: 503 until then", async () => {
    // It does not pack.
    await history(600, randomToken(9_000));
    later(2 * minute);
    const path = { cardId: given.cardId };
    const statuses: number[] = [];
    do {
      const prove = () => given.program.call("GET /cards/{cardId}/balance/proof", { path });
      statuses.push((await withinTime(0, prove)).status);
    } while (statuses.at(-1) !== 200 && statuses.length < 20);
    expect(statuses.length).toBeGreaterThan(2);
    expect(statuses.slice(0, -1).every((status) => status === 503)).toBe(true);
    expect((await checkpoint())?.journalEntries).toBeGreaterThan(400);
    await expectProven({ journalEntries: 600, checkpoint: expect.anything() });
  });
});

describe("a checkpoint that the indexer advances", () => {
  test("is advanced by the indexer as the Card's changes arrive, and a malformed entry fails no batch", async () => {
    await history();
    later(2 * minute);
    const changes = Array.from({ length: 1_000 }, (_, index) => {
      const entry = newEntry(index);
      return rowOf({ programId, kind: transactionList }, [
        { ...entry, values: entry.values.with(cardIndex, given.cardId) },
      ]);
    });
    await indexer(eventOf(changes));
    expect(await checkpoint()).toMatchObject({ journalEntries: 300 });
    await history();
    later(2 * minute);
    const { pk = "", sk = "" } =
      (await storedItems(programId)).findLast(({ entry }) => entry !== undefined) ?? {};
    await overwrite({ pk, sk }, { entry: { kind: "gift" } });
    expect(await indexer(eventOf(changes))).toEqual({ batchItemFailures: [] });
    expect(await checkpoint()).toMatchObject({ journalEntries: 300 });
  });

  test("is advanced with what is still open, which is not read for a few entries", async () => {
    await given.used();
    await history();
    later(2 * minute);
    await advanceCheckpoint(programId, account);
    await given.onCard("bank-deposit", { amount: 5 });
    later(2 * minute);
    const { cost } = await measure(() => advanceCheckpoint(programId, account));
    expect(cost.calls.filter((call) => call.startsWith("BatchGetItem"))).toEqual([]);
    await history();
    later(2 * minute);
    await advanceCheckpoint(programId, account);
    const open = { authorizationIds: [expect.anything()], depositIds: [expect.anything()] };
    expect(await checkpoint()).toMatchObject({ version: 2, ...open });
    expect(await given.prove()).toMatchObject({
      proven: true,
      openHolds: { count: 1, amount: 1_500 },
      pendingDeposits: { count: 1, amount: 3_000 },
    });
  });

  test("keeps what a reading found before its time was up, also if the open holds are throttled then", async () => {
    await given.used();
    // It does not pack.
    await history(600, randomToken(9_000));
    later(2 * minute);
    const advance = () => withinTime(0, () => advanceCheckpoint(programId, account));
    await advance();
    const first = (await checkpoint())?.journalEntries ?? 0;
    const send = table.send.bind(table);
    let throttled = 0;
    const spy = vi.spyOn(table, "send").mockImplementation((async (command: BatchGetCommand) => {
      const { RequestItems } = command.input;
      if (!(command instanceof BatchGetCommand) || throttled > 0) return send(command);
      if (!JSON.stringify(RequestItems).includes("#HOLD#")) return send(command);
      throttled += 1;
      return { Responses: {}, UnprocessedKeys: RequestItems };
    }) as never);
    await advance().finally(() => spy.mockRestore());
    expect(throttled).toBe(1);
    const { journalEntries = 0, authorizationIds } = (await checkpoint()) ?? {};
    expect(journalEntries).toBeGreaterThan(first);
    expect(authorizationIds).toHaveLength(1);
  });
});
