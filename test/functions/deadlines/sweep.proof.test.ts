import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/deadlines/handler.ts";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { lambdaContext, replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";

/** Each test has a month of its own, so that it does not sweep what another has left. */
let month = 0;
const hour = 3_600_000;

async function given(delaySeconds = 3_600) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, month++, 1) });
  const programId = await givenStoredProgram(delaySeconds);
  const wallet = await givenStoredWallet(programId);
  const deposit = async (amount = 100): Promise<string> => {
    const event = apiEvent({
      route: "POST /wallets/{walletId}/bank-deposit",
      caller: { programId },
      path: { walletId: wallet },
      body: { amount },
    });
    return (await replay(wallets, event)).body.data.depositId;
  };
  const balances = async () => balancesIn(await expectBooksInOrder(programId), wallet);
  return { programId, wallet, deposit, balances };
}

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
const sweep = (remainingMs = 60_000) =>
  handler({}, { ...lambdaContext, getRemainingTimeInMillis: () => remainingMs });

async function deadlinesOf(programId: string) {
  return (await storedItems(programId)).filter(({ sk }) => sk === "DEADLINE");
}

afterEach(() => void vi.useRealTimers());

describe("the sweep of deadlines", () => {
  it("clears a deposit after its delay, and deletes its deadline", async () => {
    const { programId, deposit, balances } = await given();
    await deposit();
    const dueAt = new Date(Date.now() + hour).toISOString();
    pass(hour - 1);
    expect(await sweep()).toEqual({ nextDueAt: dueAt });
    expect(await balances()).toMatchObject({ availableMinor: 0, pendingDepositMinor: 100 });
    pass(1);
    expect(await sweep()).not.toEqual({ nextDueAt: dueAt });
    expect(await balances()).toMatchObject({ availableMinor: 100, pendingDepositMinor: 0, ledgerMinor: 100 });
    const items = await storedItems(programId);
    expect(items.filter(({ sk }) => sk === "DEADLINE")).toEqual([]);
    expect(items.filter(({ kind }) => kind === "deposit.cleared")).toHaveLength(1);
    expect(items.find(({ sk }) => sk === "DEPOSIT")).toMatchObject({
      status: 1,
      settledAt: new Date().toISOString(),
    });
  });

  it("does each once, however many sweep at the same time and with answers lost", async () => {
    const { deposit, balances } = await given();
    for (let count = 0; count < 5; count += 1) await deposit(10);
    pass(hour);
    let calls = 0;
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      calls += 1;
      return calls % 4 === 0 ? "timeout-after-commit" : undefined;
    });
    await Promise.all(Array.from({ length: 5 }, () => sweep()));
    expect(await balances()).toMatchObject({ availableMinor: 50, pendingDepositMinor: 0 });
  });

  it("works in order of due time over all shards", async () => {
    const { programId, deposit } = await given();
    const made: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      made.push(await deposit(1));
      pass(1_000);
    }
    const shards = new Set((await deadlinesOf(programId)).map(({ dueShard }) => dueShard));
    expect(shards.size).toBeGreaterThan(4);
    pass(hour);
    const cleared: unknown[] = [];
    using faults = injectFaults(() => undefined);
    await sweep();
    for (const { command, input } of faults.calls) {
      if (command !== "GetItem") continue;
      cleared.push((input.Key as { pk: { S: string } }).pk.S.split("#")[1]);
    }
    expect(cleared).toEqual(made);
  });

  it("goes through more rows of a shard than one page holds", async () => {
    const { programId, deposit, balances } = await given();
    for (let count = 0; count < 60; count += 1) await deposit(1);
    for (const { pk, sk } of await deadlinesOf(programId)) {
      await table.send(
        new UpdateCommand({
          TableName: environment.issuingTable,
          Key: { pk, sk },
          UpdateExpression: "SET dueShard = :one",
          ExpressionAttributeValues: { ":one": "DUE#urgent#3" },
        }),
      );
    }
    pass(hour);
    await sweep();
    expect((await balances()).availableMinor).toBe(60);
  });

  it("tries one that fails again in a minute, and does not let it hold up the others", async () => {
    const { programId, deposit, balances } = await given();
    const broken = await deposit(7);
    pass(1);
    await deposit(10);
    const Key = deposits.key(programId, broken);
    const TableName = environment.issuingTable;
    const stored = (await storedItems(programId)).find(({ pk, sk }) => pk === Key.pk && sk === Key.sk);
    await table.send(new DeleteCommand({ TableName, Key }));
    pass(hour);
    await sweep();
    expect((await deadlinesOf(programId)).map(({ deadlineId }) => deadlineId)).toEqual([broken]);
    await table.send(new PutCommand({ TableName, Item: stored }));
    pass(59_999);
    await sweep();
    expect(await deadlinesOf(programId)).toHaveLength(1);
    pass(1);
    await sweep();
    expect(await deadlinesOf(programId)).toEqual([]);
    expect(await balances()).toMatchObject({ availableMinor: 17, pendingDepositMinor: 0 });
  });

  it("tries one that always fails ever more seldom, down to every hour, and never gives it up", async () => {
    const { programId, deposit } = await given();
    const broken = await deposit(7);
    const TableName = environment.issuingTable;
    await table.send(new DeleteCommand({ TableName, Key: deposits.key(programId, broken) }));
    pass(hour);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await sweep();
      const [row] = await deadlinesOf(programId);
      const dueAt = Date.parse(String(row?.dueAt).split("#")[0] ?? "");
      waits.push((dueAt - Date.now()) / 60_000);
      vi.setSystemTime(dueAt);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("is cancelled if the deposit is settled before", async () => {
    const { programId, deposit, balances } = await given();
    const [cleared, reversed] = [await deposit(10), await deposit(5)];
    await applyEvent({ kind: "deposit_cleared", eventId: "1", programId, depositId: cleared });
    await applyEvent({ kind: "deposit_reversed", eventId: "2", programId, depositId: reversed });
    expect(await deadlinesOf(programId)).toEqual([]);
    pass(hour);
    await sweep();
    expect(await balances()).toMatchObject({ availableMinor: 10, ledgerMinor: 10 });
  });

  it("and the processor race for a deposit: exactly one settles it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { programId, deposit, balances } = await given();
      const depositId = await deposit();
      pass(hour);
      const [, result] = await Promise.all([
        sweep(),
        applyEvent({ kind: "deposit_reversed", eventId: newId("event"), programId, depositId }),
      ]);
      const { availableMinor, pendingDepositMinor } = await balances();
      expect(pendingDepositMinor).toBe(0);
      expect(availableMinor).toBe(result.outcome === "applied" ? 0 : 100);
      expect(await deadlinesOf(programId)).toEqual([]);
    }
  });

  it("deletes a deadline that has nothing left to do", async () => {
    const { programId, deposit, balances } = await given();
    const depositId = await deposit();
    const [row] = await deadlinesOf(programId);
    await applyEvent({ kind: "deposit_cleared", eventId: "1", programId, depositId });
    await table.send(new PutCommand({ TableName: environment.issuingTable, Item: row }));
    pass(hour);
    await sweep();
    expect(await deadlinesOf(programId)).toEqual([]);
    expect((await balances()).availableMinor).toBe(100);
  });

  it("skips a malformed row", async () => {
    const { programId, deposit, balances } = await given();
    await deposit();
    const [row] = await deadlinesOf(programId);
    const strange = { ...row, ...deadlines.key(programId, "strange"), kind: "strange", dueAt: "2030" };
    await table.send(new PutCommand({ TableName: environment.issuingTable, Item: strange }));
    pass(hour);
    await sweep();
    expect((await balances()).availableMinor).toBe(100);
    expect(await deadlinesOf(programId)).toEqual([strange]);
  });

  it("stops in time, and the next sweep continues", async () => {
    const { deposit, balances } = await given();
    await deposit();
    pass(hour);
    await sweep(1_000);
    expect((await balances()).availableMinor).toBe(0);
    await sweep();
    expect((await balances()).availableMinor).toBe(100);
  });
});
