import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { moveCardMonths } from "../../infra/commands/archive/move-months.ts";
import { readBalancesAt } from "../../shared/books/collect.ts";
import { readEntries } from "../../shared/books/read-entries.ts";
import { depositCleared, depositReturned } from "../../shared/deposits/deposit.ts";
import { isMovedMonth, toMonth } from "../../shared/ledger/closed-journal.ts";
import { type EntryKind, journalEntries, journalEntry } from "../../shared/ledger/journal-entry.ts";
import { holdPlaced, holdReleased, type Posting } from "../../shared/ledger/postings.ts";
import { earliestId, newId, ulidTimeLength, withoutPrefix } from "../../shared/platform/id.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { proveBalances, proveFromJournal } from "../../shared/proofs/prove-balances.ts";
import { makeStatement, readStatementAccount } from "../../shared/statements/statement.ts";
import { auditBooks } from "../harness/audit-books.ts";
import { injectFaults } from "../harness/faults.ts";
import { overwrite } from "../harness/given-cards.ts";
import { countEntries, givenHistory } from "../harness/given-journal.ts";
import { givenObjects } from "../harness/given-objects.ts";
import { givenStoredCard, givenStoredProgram } from "../harness/given-stored.ts";
import { storedItems } from "../harness/stored.ts";

const february = toMonth(new Date("2025-02-10T00:00:00Z"));
const march = toMonth(february.until);
const at = new Date("2026-11-20T00:00:00Z");
const months = [february, march];
let programId: string;
let cardId: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2025-01-15T00:00:00Z") });
  programId = await givenStoredProgram();
  cardId = await givenStoredCard(programId);
  vi.setSystemTime(at);
  const account = { kind: "card", accountId: cardId } as const;
  // Purchases, whose entries are parts of their records.
  await givenHistory({ programId, account, count: 9, since: new Date("2025-02-20T00:00:00Z") });
  const holds = Array.from({ length: 24 }, (_, index) => new Date(Date.UTC(2025, 1, 2 + 2 * index)));
  const entries = [
    ...holds.flatMap((time, index) => [
      entryAt(time, "hold_placed", `aut_${index}`, holdPlaced(cardId, 100 + index)),
      entryAt(
        new Date(time.getTime() + 1_000),
        "hold_released",
        `aut_${index}`,
        holdReleased(cardId, 100 + index),
      ),
    ]),
    // What a statement shows.
    entryAt(
      new Date("2025-02-11T00:00:00Z"),
      "deposit_cleared",
      "dep_1",
      depositCleared(cardId, "bank_funding", 5),
    ),
    entryAt(
      new Date("2025-03-01T00:00:00Z"),
      "deposit_returned",
      "dep_1",
      depositReturned(cardId, "bank_funding", 5),
    ),
    // Of a month that stays.
    entryAt(new Date("2026-11-01T00:00:00Z"), "hold_placed", "aut_new", holdPlaced(cardId, 1)),
    entryAt(new Date("2026-11-01T00:00:01Z"), "hold_released", "aut_new", holdReleased(cardId, 1)),
  ];
  await writeBatch(
    entries.map((entry) => ({
      put: { ...entry, ...journalEntries.at(programId, cardId, entry.entryId).key } as unknown as Key,
    })),
  );
  await countEntries({ programId, account, count: entries.length, balanceMinor: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

function entryAt(time: Date, kind: EntryKind, relatedId: string, postings: readonly Posting[]) {
  const entryId =
    earliestId("journalEntry", time) + withoutPrefix(newId("journalEntry")).slice(ulidTimeLength);
  return { ...journalEntry(kind, relatedId, postings, time), entryId };
}

const account = () => ({ kind: "card", accountId: cardId }) as const;
const move = () => moveCardMonths(programId, cardId, months, at);
const itemsOfMonths = async () =>
  (await storedItems(programId)).filter(
    ({ pk, sk }) => pk === `${programId}#${cardId}` && sk >= february.first && sk < march.end,
  );

/** All that is computed from the journal, by its readers. */
async function readings() {
  const proof = await proveFromJournal(programId, account());
  const subject = await readStatementAccount(programId, account(), at);
  const index = subject.months.findIndex(({ period }) => period === "2025-02");
  const limits = { maximumEntries: 1_000, isTimeUp: () => false };
  const books = [];
  const span = { from: new Date("2025-02-15T00:00:00Z"), until: new Date("2025-03-20T00:00:00Z") };
  for await (const { entry } of readEntries(programId, cardId, span)) books.push(entry);
  const { faults, entries } = await auditBooks();
  return {
    identities: proof.identities,
    statement: await makeStatement(subject, index, at, limits),
    books,
    balances: await readBalancesAt(programId, cardId, new Date("2025-02-12T00:00:00Z")),
    faults: faults.filter((fault) => fault.includes(programId)),
    entries,
  };
}

test("a month that was moved is read as before: by proofs, statements, books and the audit", async () => {
  const before = await readings();
  expect(before.identities.every(({ holds }) => holds)).toBe(true);
  expect([before.faults, before.books.length > 20]).toEqual([[], true]);
  const moved = await move();
  expect(moved.map(({ entries }) => entries)).toEqual([29, 21]);
  expect((await itemsOfMonths()).map(isMovedMonth)).toEqual([true, true]);
  expect(await readings()).toEqual(before);
  expect((await proveBalances(programId, account())).proven).toBe(true);
  expect(await move()).toEqual([]);
});

test("the audit counts entries that should have been moved", async () => {
  const before = (await auditBooks()).overdue;
  await move();
  const after = (await auditBooks()).overdue;
  expect(before - after).toBe(50);
});

test("a run that is killed anywhere loses and doubles nothing, and the next one goes on", async () => {
  const before = await readings();
  for (const [command, from] of [
    ["PutItem", 1],
    ["DeleteItem", 6],
    ["DeleteItem", 30],
  ] as const) {
    let count = 0;
    const isKilled = (call: { command: string; input: Record<string, unknown> }) => {
      const counts = call.command === command && JSON.stringify(call.input).includes("ENTRY#");
      if (counts) count += 1;
      return counts && count >= from;
    };
    {
      using _ = injectFaults((call) => (isKilled(call) ? "lost" : undefined));
      await expect(move()).rejects.toThrow();
    }
    expect(await readings()).toEqual(before);
  }
  await move();
  expect((await itemsOfMonths()).map(isMovedMonth)).toEqual([true, true]);
  expect(await readings()).toEqual(before);
});

test("two runs at once move each entry once", async () => {
  const before = await readings();
  await Promise.all([move(), move()]);
  expect((await itemsOfMonths()).map(isMovedMonth)).toEqual([true, true]);
  expect(await readings()).toEqual(before);
});

test("a Card whose balances are not proved keeps its entries", async () => {
  const [first] = await itemsOfMonths();
  const { pk, sk } = first as Key;
  await overwrite({ pk, sk }, { postings: [{ account: `${cardId}:available`, amountMinor: 7 }] });
  await expect(move()).rejects.toThrow("its balances are not proved");
  expect((await itemsOfMonths()).some(isMovedMonth)).toBe(false);
});

test("an object that was changed is noticed by who reads it", async () => {
  const [moved] = await move();
  const { directory } = await givenObjects();
  const Key = moved?.movedTo ?? "";
  writeFileSync(join(directory, "records", Key), "{}\n");
  await expect(proveFromJournal(programId, account())).rejects.toThrow("is not the one that was written");
  const { faults } = await auditBooks();
  expect(faults.join("\n")).toContain(`The closed month ${Key} is not the one that was written.`);
});
