import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { programs } from "../../../shared/tenancy/programs/program.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenCard,
  givenProgram,
  givenWallet,
  overwrite,
} from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

/** Each test uses its own year, none a leap year: what earlier tests left is overdue. */
let year = 2041;

afterEach(() => void vi.useRealTimers());

const setTime = (monthAndDay: string, time = "12:00") =>
  vi.setSystemTime(`${year}-${monthAndDay}T${time}:00.000Z`);

async function given(amount = 200) {
  year += 8;
  vi.useFakeTimers({ toFake: ["Date"] });
  setTime("01-31");
  const program = await givenProgram({ settings: { feeSchedule: [{ feeType: 2, amount, basisPoints: 0 }] } });
  const { cardId } = await givenCard(program);
  const fees = async (): Promise<{ amount: number; dateCreated: string }[]> => {
    const query = { cardId, feeType: "2", orderBy: "feeId", sort: "asc" };
    return (await program.call("GET /cards/fees", { query })).body.items;
  };
  const setSchedule = (feeSchedule: object[]) =>
    table.send(
      new UpdateCommand({
        TableName: environment.accountsTable,
        Key: programs.key(program.programId),
        UpdateExpression: "SET settings.feeSchedule = :schedule",
        ExpressionAttributeValues: { ":schedule": feeSchedule },
      }),
    );
  return { program, cardId, fees, setSchedule };
}

async function dueTimes({ programId }: GivenProgram) {
  const rows = (await storedItems(programId)).filter(({ sk }) => sk === "DEADLINE");
  return rows.map(({ dueAt }) => String(dueAt).split("#")[0]);
}

describe("the maintenance fee", () => {
  test("is charged every month on the Card's day or the month's last, even without money", async () => {
    const { program, cardId, fees } = await given();
    expect(await dueTimes(program)).toEqual([`${year}-02-28T12:00:00.000Z`]);
    setTime("02-28", "11:59");
    await sweepDeadlines();
    expect(await fees()).toEqual([]);
    setTime("02-28");
    await sweepDeadlines();
    await sweepDeadlines();
    expect(await fees()).toMatchObject([{ amount: 200, dateCreated: `${year}-02-28T12:00:00.000Z` }]);
    expect(await dueTimes(program)).toEqual([`${year}-03-31T12:00:00.000Z`]);
    setTime("03-31");
    await sweepDeadlines();
    expect(await fees()).toHaveLength(2);
    const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
    expect(body.data).toMatchObject({ availableBalance: -400, ledgerBalance: -400 });
    await expectBooksInOrder(program.programId);
  });

  test("is charged for each month that passed without a sweep", async () => {
    const { program, fees } = await given();
    setTime("05-01");
    for (let run = 0; run < 5; run += 1) await sweepDeadlines();
    expect(await fees()).toHaveLength(3);
    expect(await dueTimes(program)).toEqual([`${year}-05-31T12:00:00.000Z`]);
  });

  test("is charged once a month, even with simultaneous sweeps and lost answers", async () => {
    const { program, fees } = await given();
    setTime("02-28");
    let calls = 0;
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      calls += 1;
      return calls % 2 === 0 ? "timeout-after-commit" : undefined;
    });
    await Promise.all([sweepDeadlines(), sweepDeadlines(), sweepDeadlines(), sweepDeadlines()]);
    expect(await fees()).toHaveLength(1);
    await expectBooksInOrder(program.programId);
  });

  test("is charged to the Wallet that the Card spends from, whatever its limit leaves", async () => {
    const { program, cardId, fees } = await given();
    const fundingWalletId = await givenWallet(program, 1_000);
    const body = { fundingWalletId, spendLimit: { amount: 100, window: "month" } };
    await program.call("PUT /cards/{cardId}/funding", { path: { cardId }, body });
    setTime("02-28");
    await sweepDeadlines();
    expect(await fees()).toMatchObject([{ amount: 200 }]);
    const path = { walletId: fundingWalletId };
    const { body: wallet } = await program.call("GET /wallets/{walletId}", { path });
    expect(wallet.data).toMatchObject({ availableBalance: 800 });
    await expectBooksInOrder(program.programId);
  });

  test("ends when the Card is closed, and continues while it is on hold", async () => {
    const { program, cardId, fees } = await given();
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
    setTime("02-28");
    await sweepDeadlines();
    expect(await fees()).toHaveLength(1);
    await overwrite(cards.key(program.programId, cardId), { issuerCardStatus: 3 });
    setTime("03-31");
    await sweepDeadlines();
    expect(await fees()).toHaveLength(1);
    expect(await dueTimes(program)).toEqual([]);
  });

  test("follows the fee schedule of each month, 0 included", async () => {
    const { program, fees, setSchedule } = await given();
    await setSchedule([]);
    setTime("02-28");
    await sweepDeadlines();
    expect(await fees()).toEqual([]);
    expect(await dueTimes(program)).toEqual([`${year}-03-31T12:00:00.000Z`]);
    await setSchedule([{ feeType: 2, amount: 77, basisPoints: 0 }]);
    setTime("03-31");
    await sweepDeadlines();
    expect(await fees()).toMatchObject([{ amount: 77 }]);
  });

  test("starts with the approval, not with the request", async () => {
    const { program } = await given();
    const manual = await givenProgram({
      settings: { issuanceApproval: 1, feeSchedule: [{ feeType: 2, amount: 5, basisPoints: 0 }] },
    });
    const { cardId } = await givenCard(manual);
    expect(await dueTimes(manual)).toEqual([]);
    setTime("02-10");
    await manual.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus: 1 } });
    expect(await dueTimes(manual)).toEqual([`${year}-02-28T12:00:00.000Z`]);
    expect(await dueTimes(program)).toHaveLength(1);
  });
});
