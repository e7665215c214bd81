import { expect, it } from "vitest";
import type { Outcome } from "../../../shared/payments/outcome.ts";
import { listRefused } from "../../../shared/platform/refused/refused-input.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenPayouts } from "../../harness/given-payouts.ts";
import { randomFrom, someSeed } from "../../harness/random.ts";

type Said = Pick<Outcome, "status" | "amountMinor" | "reasonCode">;

const debit: Said = { status: "completed" };
const rejection: Said = { status: "rejected", reasonCode: "AG01" };
const returned: Said = { status: "returned", amountMinor: 970, reasonCode: "MS03" };
const accepted: Said = { status: "accepted" };
const all = [debit, rejection, returned, accepted];

/** What a set of messages comes to, whatever their order and number. */
function expectedEnd(said: ReadonlySet<Said>) {
  const [amount, fee, back] = [1_000, 30, 970];
  if (said.has(returned))
    return { status: "returned", ledger: -amount - fee + back, held: 0, reasonCode: "MS03", back };
  if (said.has(debit)) return { status: "completed", ledger: -amount - fee, held: 0 };
  if (said.has(rejection)) return { status: "rejected", ledger: 0, held: 0, reasonCode: "AG01" };
  return { status: "sent", ledger: 0, held: amount + fee };
}

const seed = someSeed();

it(`in any order and number, what the bank says ends the same (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const given = await givenPayouts(100_000, { fee: 30 });
  const { created, send, report, view, balances, events } = given;
  let [ledger, held] = [100_000, 0];
  for (let round = 0; round < 24; round += 1) {
    const { payoutId } = await created();
    await send(payoutId);
    const some = all.filter(() => random.chance(0.6));
    const said = random.shuffle([...some, ...some.filter(() => random.chance(0.5))]);
    for (const one of random.chance(0.3) ? [] : said) await report(payoutId, one);
    // Also what was said already, and all at once.
    await Promise.all(said.map((one) => report(payoutId, one)));
    const end = expectedEnd(new Set(said));
    ledger += end.ledger;
    held += end.held;
    const note = `round ${round} of seed ${seed}: ${said.map(({ status }) => status).join(", ")}`;
    const seen = await view(payoutId);
    expect([seen.status, seen.reasonCode, seen.returnedAmount], note).toEqual([
      ...[end.status, end.reasonCode, end.back],
    ]);
    expect(await balances(), note).toEqual({ available: ledger - held, held, ledger });
    const statuses = (await events(payoutId)).map(({ status }) => status);
    expect(new Set(statuses).size, note).toBe(statuses.length);
    const told = (await listRefused(100)).filter(({ input }) => input.includes(payoutId));
    const contradicts = said.includes(rejection) && (said.includes(debit) || said.includes(returned));
    if (!contradicts) expect(told, note).toEqual([]);
    else expect(told.length, note).toBeGreaterThan(0);
  }
}, 120_000);

it("a lost answer, or a conflict, books nothing twice", async () => {
  const { created, send, report, view, balances } = await givenPayouts(10_000, { fee: 30 });
  for (const fault of ["timeout-after-commit", "conflict", "lost"] as const) {
    const { payoutId } = await created();
    await send(payoutId);
    using _faults = injectFaults(firstCalls(2, fault));
    for (const one of [debit, returned]) await report(payoutId, one).catch(() => undefined);
    for (const one of [debit, returned]) await report(payoutId, one);
    expect((await view(payoutId)).status).toBe("returned");
  }
  expect(await balances()).toEqual({ available: 9_820, held: 0, ledger: 9_820 });
});
