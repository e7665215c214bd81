import { execFileSync, spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyOutcome } from "../../../shared/payments/apply-outcome.ts";
import { readPending, sentWrites } from "../../../shared/payments/payment.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { newIban } from "../../harness/bank-accounts.ts";
import { balancesIn, expectBooksInOrder, storedEntries } from "../../harness/books.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { randomFrom, someSeed } from "../../harness/random.ts";
import { livePlatform } from "./platform-life.ts";

/** Debian's package `hledger`; without it the journals are only compared. */
const hasHledger = spawnSync("hledger", ["--version"]).status === 0;

/** A process makes ids of ever later times: each test is in another year. */
let year = 2036;
let date = "";
let begun = new Date();
beforeEach(() => {
  year += 1;
  date = `${year}-10-30`;
  begun = new Date(`${date}T15:00:00.000Z`);
  vi.useFakeTimers({ toFake: ["Date"], now: begun });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Row {
  account: string;
  opening: number;
  debits: number;
  credits: number;
  closing: number;
}

async function exported(program: GivenProgram, date: string, format: "json" | "hledger" | "csv") {
  const { status, body } = await program.call("GET /ledger/{date}", { path: { date }, query: { format } });
  expect(status, JSON.stringify(body)).toBe(200);
  return format === "json" ? body.data : body;
}

function datesUntil(last: Date): string[] {
  const days = Math.ceil((last.getTime() - begun.getTime()) / 86_400_000) + 1;
  return Array.from({ length: days + 1 }, (_, day) =>
    new Date(begun.getTime() + (day - 1) * 86_400_000).toISOString().slice(0, 10),
  );
}

describe("the books of each day of a platform's life", () => {
  it.each(["America/New_York", "Pacific/Auckland"])(
    "are complete, and prove themselves: %s",
    async (timeZone) => {
      const seed = someSeed();
      const program = await givenProgram({ settings: { timeZone, clearingDelaySeconds: 86_400 } });
      await livePlatform(program, randomFrom(seed), 50);
      const dates = datesUntil(new Date());
      vi.setSystemTime(Date.now() + 3 * 86_400_000);
      const items = await expectBooksInOrder(program.programId);
      const stored = new Map(storedEntries(items).map(({ entry }) => [entry.entryId, entry]));
      const found = new Map<string, string>();
      let last = new Map<string, number>();
      for (const date of dates) {
        const view = await exported(program, date, "json");
        const rows: Row[] = view.trialBalance;
        expect(rows.reduce((sum, { opening }) => sum + opening, 0)).toBe(0);
        expect(rows.reduce((sum, { closing }) => sum + closing, 0)).toBe(0);
        for (const { account, opening } of rows)
          if (!account.endsWith("unchanged-accounts"))
            expect([account, opening]).toEqual([account, last.get(account) ?? 0]);
        last = new Map([...last, ...rows.map(({ account, closing }) => [account, closing] as const)]);
        const journal: string = await exported(program, date, "hledger");
        for (const [, entryId = "", at = ""] of journal.matchAll(/^\S+ \* \((\w+)\) .*at:([^,]+),/gm)) {
          expect(found.has(entryId), `seed ${seed}: ${entryId} twice`).toBe(false);
          expect(at >= view.start && at < view.end).toBe(true);
          found.set(entryId, at);
        }
        if (hasHledger) execFileSync("hledger", ["-f", "-", "check", "--strict"], { input: journal });
        expect(await exported(program, date, "hledger")).toBe(journal);
      }
      expect([...found.keys()].sort(), `seed ${seed}`).toEqual([...stored.keys()].sort());
      for (const [entryId, at] of found) expect(stored.get(entryId)?.createdAt).toBe(at);
      for (const [account, minor] of last) {
        const [, kind, accountId = "", part = ""] = account.split(":");
        if (kind !== "cards" && kind !== "wallets") continue;
        const { availableMinor, heldMinor, pendingDepositMinor } = balancesIn(items, accountId);
        const parts = { available: availableMinor, held: heldMinor, pending: pendingDepositMinor };
        expect([account, -minor || 0]).toEqual([account, parts[part as keyof typeof parts]]);
      }
    },
    120_000,
  );

  it("are the same in any order of reading", async () => {
    const program = await givenProgram({ settings: { timeZone: "Europe/Berlin" } });
    await livePlatform(program, randomFrom(7), 40);
    const dates = datesUntil(new Date());
    vi.setSystemTime(Date.now() + 3 * 86_400_000);
    const last = dates.at(-2) ?? "";
    const atOnce = await exported(program, last, "csv");
    for (const date of dates.slice(0, -2)) await exported(program, date, "csv");
    expect(await exported(program, last, "csv")).toBe(atOnce);
  }, 60_000);
});

it("the books have what the Program's reserve pays for micro-deposits, and what comes back", async () => {
  const program = await givenProgram();
  const { programId } = program;
  const body = { holderName: "Ada Lovelace", holderType: "person", iban: newIban() };
  const { externalAccountId } = (await program.call("POST /external-accounts", { body })).body.data;
  const verify = { path: { externalAccountId }, body: { method: "micro_deposits" } };
  await program.call("POST /external-accounts/{externalAccountId}/verification", verify);
  const pending = await readPending(programId, "pain.001", 10);
  const inFile = { at: new Date(), timeZone: "Etc/UTC" };
  await transact(pending.flatMap((payment) => sentWrites(payment, inFile)));
  for (const { paymentId } of pending)
    await applyOutcome({ programId, kind: "micro_deposit", paymentId, status: "completed" });
  const { paymentId = "", amountMinor = 0 } = pending[0] ?? {};
  await applyOutcome({ programId, kind: "micro_deposit", paymentId, status: "returned" });
  vi.setSystemTime(Date.now() + 86_400_000);
  const { trialBalance, entries } = await exported(program, date, "json");
  const kept = pending.reduce((sum, one) => sum + one.amountMinor, -amountMinor);
  const closings = trialBalance.map(({ account, closing }: Row) => [account, closing]);
  expect(closings.filter(([, closing]: [string, number]) => closing !== 0)).toEqual([
    ["assets:bank-funding", -kept],
    ["equity:program-reserve", kept],
  ]);
  expect(entries).toBe(3);
});
