import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as indexer } from "../../../functions/list-indexer/handler.ts";
import type { Account } from "../../../shared/ledger/account.ts";
import { listAttributes } from "../../../shared/lists/entry.ts";
import { randomToken } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { checkpoints } from "../../../shared/proofs/checkpoint.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenHistory } from "../../harness/given-journal.ts";
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
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2046, 0, day) });
  given = await givenProvableCard();
  ({ programId } = given.program);
  account = { kind: "card", accountId: given.cardId };
});
afterEach(() => void vi.useRealTimers());

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const history = (count = 300, memo?: string) =>
  givenHistory({ programId, account, count, since: new Date(), ...(memo && { memo }) });
const checkpoint = () => checkpoints.at(programId, given.cardId).get();

describe("the checkpoint of a Card", () => {
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
