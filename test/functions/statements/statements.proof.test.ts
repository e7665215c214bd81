import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StatementView } from "../../../shared/contract/statements.ts";
import { journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/ledger/postings.ts";
import { parseEntry } from "../../../shared/ledger/stored-entry.ts";
import { readAllItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { randomFrom, someSeed } from "../../harness/random.ts";
import { livePlatform } from "../ledger/platform-life.ts";
import { statementsOf } from "./given-statements.ts";

let start = Date.UTC(2040, 8, 20);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
});
afterEach(() => {
  start = Date.now();
  vi.useRealTimers();
});

const seeds = Array.from({ length: 9 }, (_, index) => someSeed() + index);
const zones = ["Etc/UTC", "America/New_York", "Pacific/Auckland"] as const;
const fiveWeeks = 35 * 86_400_000;
const feeSchedule = [
  { feeType: 3 as const, amount: 100, basisPoints: 50 },
  { feeType: 4 as const, amount: 0, basisPoints: 300 },
];

describe("statements, after any life of Cards and Wallets", () => {
  it.each(seeds)(
    "add up from month to month to the balance, by the journal, and never change once closed: seed %i",
    async (seed) => {
      const random = randomFrom(seed);
      const program = await givenProgram({ settings: { timeZone: random.pick(zones), feeSchedule } });
      const seen = new Map<string, string>();
      const { cards, wallets } = await livePlatform(program, random, 45, fiveWeeks, async (living) => {
        if (random.chance(0.2)) await expectProven(program, "card", living.cards[0] ?? "", seen);
      });
      for (const cardId of cards) await expectProven(program, "card", cardId, seen);
      for (const walletId of wallets) await expectProven(program, "wallet", walletId, seen);
    },
  );
});

async function expectProven(
  program: GivenProgram,
  kind: "card" | "wallet",
  accountId: string,
  seen: Map<string, string>,
) {
  const calls = statementsOf(program, kind, accountId);
  const { items } = await calls.months({ sort: "asc", limit: "200" });
  let balance = 0;
  const lines: StatementView["lines"] = [];
  for (const { period, start: from, end, closed } of items) {
    const statement = await calls.view(period);
    expect(statement.openingBalance).toBe(balance);
    expect(statement.proof.sum).toBe(statement.closingBalance - statement.openingBalance);
    for (const { amount, balance: after, date } of statement.lines) {
      balance += amount;
      expect(after).toBe(balance);
      expect(date.startsWith(period), `${date} in ${period} (${from} to ${end})`).toBe(true);
    }
    expect(statement.closingBalance).toBe(balance);
    lines.push(...statement.lines);
    if (!closed) continue;
    const text = JSON.stringify([
      statement,
      await calls.text(period, "camt053"),
      await calls.text(period, "csv"),
    ]);
    expect(seen.get(`${accountId} ${period}`) ?? text).toBe(text);
    seen.set(`${accountId} ${period}`, text);
  }
  await expectJournal(program, accountId, lines);
  expect(balance).toBe(await balanceOf(program, kind, accountId));
}

/** Each entry that changed the balance, and nothing else, is on a statement with its amount. */
async function expectJournal(
  program: GivenProgram,
  accountId: string,
  lines: NonNullable<StatementView["lines"]>,
) {
  const { pk } = journalEntries.key(program.programId, accountId, "");
  const entries = (await readAllItems(toPartitionQuery(pk))).flatMap((item) => parseEntry(item) ?? []);
  const moved = entries.flatMap(({ entryId: journalEntryId, postings }) => {
    const change = balanceChanges(postings).get(accountId);
    const amount = change ? change.availableMinor + change.heldMinor : 0;
    return amount === 0 ? [] : [[journalEntryId, amount] as const];
  });
  const onStatements = Map.groupBy(lines, ({ journalEntryId }) => journalEntryId);
  const sums = [...onStatements].map(([journalEntryId, own]) => [
    journalEntryId,
    own.reduce((sum, { amount }) => sum + amount, 0),
  ]);
  expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(moved));
}

async function balanceOf(program: GivenProgram, kind: "card" | "wallet", accountId: string): Promise<number> {
  const path = { [`${kind}Id`]: accountId };
  const place = kind === "card" ? "/cards/{cardId}" : "/wallets/{walletId}";
  const { body } = await program.call(`GET ${place}/balance/proof`, { path });
  expect(body.data.proven, JSON.stringify(body)).toBe(true);
  return body.data.ledgerBalance - body.data.pendingDeposits.amount;
}
