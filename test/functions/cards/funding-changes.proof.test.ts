import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { handlerOf } from "../../harness/given-cards.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { givenReplayed } from "../../shared/simulations/given-replayed.ts";
import { schedule, step } from "../../shared/simulations/timed-steps.ts";

const beginMs = Date.parse("2026-10-23T20:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: beginMs });
});
afterEach(() => void vi.useRealTimers());

/** Before a step, a Card begins to spend from a Wallet, from another, or its own money. */
const change = fc.record({ card: fc.nat({ max: 2 }), to: fc.constantFrom(0, 1, null) });
const life = fc.record({
  openingMinor: fc.nat({ max: 3_000 }),
  walletMinor: fc.nat({ max: 6_000 }),
  steps: fc.array(step, { minLength: 30, maxLength: 50 }),
  changes: fc.array(fc.option(change, { freq: 3, nil: undefined }), { minLength: 50, maxLength: 50 }),
});
type Life = typeof life extends fc.Arbitrary<infer L> ? L : never;

const period = "2026-10";

/** What is asked of each Card and Wallet at the end. */
async function expectProven(programId: string, account: { cardId: string } | { walletId: string }) {
  const kind = "cardId" in account ? "/cards/{cardId}" : "/wallets/{walletId}";
  const ask = async (route: EventOptions["route"], options: object) => {
    const caller = { programId };
    const { status, body } = await replay(handlerOf(route), apiEvent({ ...options, route, caller }));
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };
  const { proven, identities } = await ask(`GET ${kind}/balance/proof`, { path: account });
  const failed = identities.filter(({ holds }: { holds: boolean }) => !holds);
  expect([proven, failed], JSON.stringify(account)).toEqual([true, []]);
  return ask(`GET ${kind}/statements/{period}`, { path: { ...account, period } });
}

/** Returns how often a Card with money of its own has begun to spend from a Wallet. */
async function live({ openingMinor, walletMinor, steps, changes }: Life): Promise<number> {
  vi.setSystemTime(beginMs);
  const settings = { timeZone: "Etc/UTC", partialApproval: true };
  const given = await givenReplayed(settings, openingMinor, { walletMinor, limits: [] });
  const { programId, walletId, cardIds, send } = given;
  const walletIds = [walletId, await givenStoredWallet(programId, walletMinor)];
  const funded = new Map<string, string>();
  let moved = 0;
  const putFunding = async (cardId: string, fundingWalletId: string | null) => {
    const body = { fundingWalletId, moveBalance: true };
    const route = "PUT /cards/{cardId}/funding";
    const answer = await replay(
      handlerOf(route),
      apiEvent({ route, path: { cardId }, body, caller: { programId } }),
    );
    expect([200, 409]).toContain(answer.status);
    if (answer.status !== 200) return expect(answer.body.code).toBe("CARD_NOT_EMPTY");
    if (fundingWalletId === null) return void funded.delete(cardId);
    if (!funded.has(cardId)) moved += 1;
    funded.set(cardId, fundingWalletId);
  };
  for (const [index, event] of schedule(steps, beginMs, []).entries()) {
    const { card, to } = changes[index] ?? { card: 0, to: undefined };
    if (to !== undefined) await putFunding(cardIds[card] ?? "", to === null ? null : (walletIds[to] ?? ""));
    await send(event);
    const items = await expectBooksInOrder(programId);
    for (const cardId of funded.keys()) expect(balancesIn(items, cardId).availableMinor, cardId).toBe(0);
  }
  const items = await expectBooksInOrder(programId);
  // A statement leaves pending deposits out.
  const settledOf = (id: string) => balancesIn(items, id).availableMinor + balancesIn(items, id).heldMinor;
  for (const walletId of walletIds)
    expect((await expectProven(programId, { walletId })).closingBalance).toBe(settledOf(walletId));
  for (const cardId of cardIds)
    expect((await expectProven(programId, { cardId })).closingBalance).toBe(settledOf(cardId));
  return moved;
}

it("Cards whose funding changes keep nothing, lose nothing, and all is proven", async () => {
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      moved += await live(one);
    }),
    { numRuns: Number(process.env.LIVES ?? 6), endOnFailure: true },
  );
  expect(moved).toBeGreaterThan(0);
}, 240_000);
