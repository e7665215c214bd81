import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { drawHistory } from "../../harness/bank-reports/account.ts";
import { drawFiles, drawHabits } from "../../harness/bank-reports/reports.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { randomFrom } from "../../harness/random.ts";
import { feedKilled, type GivenFiles, givenFiles } from "./given-files.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const sumOf = (all: readonly { readonly amount: number }[]) => all.reduce((sum, one) => sum + one.amount, 0);

it("of what any bank tells in any order, nothing is credited twice and nothing is lost", async () => {
  const run = async (seed: number) => {
    const random = randomFrom(seed);
    const programId = await givenStoredProgram();
    const account = makeIban(programId);
    await operate("set-bank-account", { programId, bankAccount: account });
    const wallets = [await givenStoredWallet(programId), await givenStoredWallet(programId)];
    const history = drawHistory(random, newId("event").slice(-8), wallets);
    for (const text of drawFiles(random, history, drawHabits(random), account)) {
      const { addsUp } = await feedKilled(files, random, text);
      expect(addsUp).not.toBe(false);
    }
    const items = await expectBooksInOrder(programId);
    const payments = history.booked.flatMap((one) => one.payments);
    const came = sumOf(payments);
    const has = wallets.map((wallet) => balancesIn(items, wallet).ledgerMinor);
    for (const [index, wallet] of wallets.entries())
      expect(has[index], `of ${wallet}`).toBeLessThanOrEqual(
        sumOf(payments.filter(({ text }) => text === wallet)),
      );
    const credited = has.reduce((sum, one) => sum + one, 0);
    const waiting = items
      .filter(({ sk, status }) => sk === "SUSPENSE" && Number(status) < 2)
      .map(({ reason, amountMinor }) => ({ reason, amount: Number(amountMinor) }));
    const sure = waiting.filter(({ reason }) => reason !== "POSSIBLE_DUPLICATE");
    expect(credited + sumOf(sure), "credited, or waiting and no repetition").toBeLessThanOrEqual(came);
    const left = came - sumOf(history.returned);
    expect(credited + sumOf(waiting), "credited or waiting").toBeGreaterThanOrEqual(left);
  };
  await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns: 200, endOnFailure: true });
});
