import fc from "fast-check";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { readMessage } from "../../../shared/adapters/iso20022/read-message.ts";
import { applyBankEvent } from "../../../shared/deposits/bank/apply-bank-event.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { type AccountHistory, drawHistory } from "../../harness/bank-reports/account.ts";
import { drawFiles, drawHabits } from "../../harness/bank-reports/reports.ts";
import { dayOf } from "../../harness/bank-reports/written.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type Random, randomFrom } from "../../harness/random.ts";
import { feedKilled, type GivenFiles, givenFiles } from "./given-files.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const sumOf = (all: readonly { readonly amount: number }[]) => all.reduce((sum, one) => sum + one.amount, 0);

/** As the bank's webhook says it, now and then twice; of returns, only of the whole. */
function toAnnouncements(random: Random, { booked, returned }: AccountHistory, programId: string) {
  const say = async (type: string, { name, ...more }: { name: string; bankReference: string }) => {
    const { event } = readMessage(JSON.stringify({ type, eventId: `${type} ${name}`, ...more }));
    if (event.kind === "status") throw new Error("It is no deposit.");
    await applyBankEvent({ event, origin: `webhook:${programId}:${type}:${name}`, programId });
  };
  return booked.flatMap((entry) =>
    entry.payments.flatMap((of) => {
      const { name, amount, text: reference } = of;
      const bankReference = random.pick([name, entry.payments.length > 1 ? name : entry.name, `W${name}`]);
      const told = { name, bankReference, reference, amount, currency: "USD" };
      const announce = () => say("deposit.announced", told);
      const isBack = returned.some((one) => one.of === of && one.amount === amount);
      return [
        announce,
        ...(random.chance(0.25) ? [announce] : []),
        ...(isBack ? [() => say("deposit.returned", { name, bankReference })] : []),
      ];
    }),
  );
}

afterEach(() => vi.useRealTimers());

it.each([
  ["files", 100],
  ["files and webhooks", 60],
])(
  "of what any bank tells by %s in any order, nothing is credited twice and nothing is lost",
  async (by, numRuns) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(`${dayOf(1)}T12:00:00Z`) });
    const run = async (seed: number) => {
      const random = randomFrom(seed);
      const programId = await givenStoredProgram();
      const account = makeIban(programId);
      await operate("set-bank-account", { programId, bankAccount: account });
      const wallets = [await givenStoredWallet(programId), await givenStoredWallet(programId)];
      const history = drawHistory(random, newId("event").slice(-8), wallets);
      const isAnnounced = by !== "files";
      // Nothing says of which sum a webhook's payment is a part.
      const habits = { ...drawHabits(random), ...(isAnnounced && { hasSums: false }) };
      const feeding = drawFiles(random, history, habits, account).map((text) => async () => {
        const { addsUp } = await feedKilled(files, random, text);
        expect(addsUp).not.toBe(false);
      });
      const announcing = isAnnounced ? toAnnouncements(random, history, programId) : [];
      const steps = [
        ...feeding.entries(),
        ...announcing.map((one) => [random.below(feeding.length), one] as const),
      ];
      for (const [, step] of steps.toSorted(([one], [other]) => one - other)) await step();
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
    await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns, endOnFailure: true });
  },
);
