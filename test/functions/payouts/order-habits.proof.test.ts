import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { payments } from "../../../shared/payments/payment.ts";
import { payouts } from "../../../shared/payments/payout.ts";
import {
  drawOrderFiles,
  drawOrderHabits,
  drawOrders,
  type Made,
  type Order,
} from "../../harness/bank-reports/orders.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { type Random, randomFrom } from "../../harness/random.ts";
import { feedKilled, type GivenFiles, givenFiles } from "../files/given-files.ts";
import { givenBank } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const initial = 10_000;

/** Some payouts and pulls, which files have. */
async function givenMade(bank: Awaited<ReturnType<typeof givenBank>>, random: Random): Promise<Made[]> {
  const { program, programId, walletId, externalAccountId } = bank;
  const route = "POST /external-accounts/{externalAccountId}/mandates";
  const request = { path: { externalAccountId }, body: { signedAt: "2026-11-01" } };
  const { mandateId } = (await program.call(route, request)).body.data;
  const made: Omit<Made, "batch">[] = [];
  for (let count = 2 + random.below(4); count > 0; count -= 1) {
    const amount = random.pick([500, 700, 1_000]);
    const isPull = random.chance(0.4);
    const body = { walletId, externalAccountId, amount, ...(isPull && { mandateId }) };
    const { body: answer } = await program.call(isPull ? "POST /pulls" : "POST /payouts", { body });
    const { payoutId, pullId: id = payoutId, endToEndId: endToEnd } = answer.data;
    made.push({ kind: isPull ? "pull" : "payout", id, endToEnd, amount });
  }
  const paid = (await makeFiles(programId)).find((file) => file.kind === "pain.001");
  const [batch] = Object.values(paid?.batchIds ?? {});
  return made.map((one) => ({ ...one, batch }));
}

/** What was booked of it must be what its bank did, or the beginning of that. */
const possible: Readonly<Record<Order["became"], readonly string[]>> = {
  done: ["sent", "completed", "collected"],
  rejected: ["sent", "rejected"],
  returned: ["sent", "completed", "collected", "returned"],
};

/** What it has taken from the Wallet and given to it, by its status. */
async function readMoved(programId: string, { kind, id, amount, became }: Order) {
  const { status } = await payments.at(programId, id).require();
  expect(possible[became], `a ${kind} that was ${became}`).toContain(status);
  if (!["completed", "collected", "returned"].includes(status)) return { taken: 0, given: 0 };
  const isReturned = status === "returned";
  if (kind === "pull") return { taken: isReturned ? amount : 0, given: amount };
  const { returnedMinor = amount } = await payouts.at(programId, id).require();
  return { taken: amount, given: isReturned ? returnedMinor : 0 };
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + one, 0);

/** What moved on the bank's account, as the money of the Program's payments. */
function trulyMoved(orders: readonly Order[], kind: Order["kind"], returning: Order["kind"]): number {
  const done = orders.filter((one) => one.kind === kind && one.became !== "rejected");
  const back = orders.filter((one) => one.kind === returning && one.became === "returned");
  return sumOf([...done.map(({ amount }) => amount), ...back.map(({ returned }) => returned)]);
}

it("of what any bank tells of payouts and pulls, nothing is booked twice and nothing is lost", async () => {
  const run = async (seed: number) => {
    const random = randomFrom(seed);
    const bank = await givenBank(files);
    const { programId, walletId, account } = bank;
    const habits = drawOrderHabits(random);
    const orders = drawOrders(random, await givenMade(bank, random), habits);
    let refused = 0;
    for (const text of drawOrderFiles(random, orders, habits, account)) {
      const { sums = [], addsUp } = await feedKilled(files, random, text);
      expect(addsUp).not.toBe(false);
      refused += sumOf(sums.map((one) => one.refused.amount));
    }
    const moved = await Promise.all(orders.map((one) => readMoved(programId, one)));
    const taken = sumOf(moved.map((one) => one.taken));
    const given = sumOf(moved.map((one) => one.given));
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, walletId).ledgerMinor).toBe(initial - taken + given);
    const waiting = items.filter(({ sk, status }) => sk === "SUSPENSE" && Number(status) < 2);
    const sumOfItems = (some: typeof items) => sumOf(some.map(({ amountMinor }) => Number(amountMinor)));
    const sure = waiting.filter(({ reason }) => reason !== "POSSIBLE_DUPLICATE");
    const [came, left] = [trulyMoved(orders, "pull", "payout"), trulyMoved(orders, "payout", "pull")];
    expect(given + sumOfItems(sure), "given, or waiting and no repetition").toBeLessThanOrEqual(came);
    expect(given + sumOfItems(waiting) + refused, "given, waiting or refused").toBeGreaterThanOrEqual(came);
    expect(taken + refused, "taken or refused").toBeGreaterThanOrEqual(left);
  };
  await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns: 60, endOnFailure: true });
});
