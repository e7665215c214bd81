import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

let program: GivenProgram;
let cardId: string;

beforeEach(async () => {
  program = await givenProgram();
  ({ cardId } = await givenCard(program));
  await onCard("bank-deposit", { amount: 1_000_000 });
});
afterEach(() => vi.useRealTimers());

const done = async (route: `POST /${string}`, path: Record<string, string>, body: object) => {
  const answer = await program.call(route, { path, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data as Record<string, string>;
};
const onCard = (route: string, body: object) => done(`POST /cards/{cardId}/${route}`, { cardId }, body);
const onHold = (authorizationId: string, route: string, body: object = {}) =>
  done(`POST /authorizations/{authorizationId}/${route}`, { authorizationId }, body);
const authorize = async (amount: number) => {
  const { authorizationId = "", transId = "" } = await onCard("authorizations", { amount });
  return { authorizationId, transId };
};

const report = async (query: Record<string, string> = {}) => {
  const path = { cardId };
  const { status, body } = await program.call("GET /cards/{cardId}/hold-matching", { path, query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};

/** Only the date stands still; timers and sockets go on. */
const setTime = (iso: string) => vi.useFakeTimers({ toFake: ["Date"], now: new Date(iso) });

describe("GET /cards/{cardId}/hold-matching", () => {
  test("200: a hold that was settled a little above, found by its amount and date alone", async () => {
    const { authorizationId, transId } = await authorize(100_000);
    const { transId: settlement } = await onHold(authorizationId, "clear", { amount: 100_450 });
    const found = await report();
    expect(found).toMatchObject({
      cardId,
      currency: 0,
      matches: [
        {
          hold: { transId, amount: 100_000 },
          settlement: { transId: settlement, amount: 100_450, crossCurrency: false },
          difference: 450,
          varianceBasisPoints: 45,
          flagged: false,
        },
      ],
      unmatchedHolds: [],
      unmatchedSettlements: [],
      cycleCheck: { unmatchedHolds: 0, ledgerLessAvailable: 0, difference: 0, withinTolerance: true },
    });
  });

  test("200: a force post matches too, since no link is looked at; a variance above 2 % is flagged", async () => {
    const { transId } = await authorize(100_000);
    await onCard("force-post", { amount: 102_300, srcAmount: 90_000, srcCurrency: "978" });
    const { matches, cycleCheck } = await report();
    expect(matches).toMatchObject([
      { hold: { transId }, settlement: { crossCurrency: true }, flagged: true },
    ]);
    expect(cycleCheck).toMatchObject({
      unmatchedHolds: 0,
      ledgerLessAvailable: 100_000,
      withinTolerance: false,
    });
  });

  test("200: what a final clearing has released explains nothing, and a hold after a settlement is not its", async () => {
    await onCard("force-post", { amount: 5_000 });
    await new Promise((resolve) => setTimeout(resolve, 2));
    const { transId } = await authorize(5_000);
    const tip = await authorize(10_000);
    await onHold(tip.authorizationId, "clear", { amount: 8_000 });
    const parts = await authorize(600);
    await onHold(parts.authorizationId, "clear", { amount: 250, final: false });
    const { matches, unmatchedHolds, cycleCheck } = await report();
    expect(matches).toEqual([]);
    expect(unmatchedHolds).toMatchObject([{ transId }, { amount: 10_000 }, { amount: 600 }]);
    expect(cycleCheck).toEqual({
      unmatchedHolds: 5_350,
      pendingDeposits: 0,
      ledgerLessAvailable: 5_350,
      difference: 0,
      withinTolerance: true,
    });
  });

  test("200: open holds are unmatched, and explain what the balances set aside, with pending deposits", async () => {
    const { transId } = await authorize(5_000);
    const { authorizationId } = await authorize(700);
    await onHold(authorizationId, "increment", { amount: 300 });
    await onCard("deposits", { amount: 44 });
    const { unmatchedHolds, cycleCheck } = await report();
    expect(unmatchedHolds).toMatchObject([{ transId, amount: 5_000 }, { amount: 1_000 }]);
    expect(cycleCheck).toEqual({
      unmatchedHolds: 6_000,
      pendingDeposits: 44,
      ledgerLessAvailable: 6_044,
      difference: 0,
      withinTolerance: true,
    });
  });

  test("200: without reversed and expired holds; one reversed in part counts with the rest", async () => {
    const [reversed, expired, part] = [await authorize(5_000), await authorize(600), await authorize(700)];
    await onHold(reversed.authorizationId, "reverse");
    await onHold(expired.authorizationId, "expire");
    await onHold(part.authorizationId, "reverse", { amount: 200 });
    const { unmatchedHolds, cycleCheck } = await report();
    expect(unmatchedHolds).toMatchObject([{ transId: part.transId, amount: 500 }]);
    expect(cycleCheck).toMatchObject({ difference: 0, withinTolerance: true });
  });

  test("200: a settlement far from every hold has no match; declines and ATM withdrawals are in no list", async () => {
    await authorize(9_000_000);
    const { authorizationId } = await authorize(1_000);
    await onHold(authorizationId, "clear", { amount: 1_100 });
    await onCard("atm-withdrawals", { amount: 1_000 });
    const { matches, unmatchedHolds, unmatchedSettlements, cycleCheck } = await report();
    expect(matches).toEqual([]);
    expect(unmatchedHolds).toMatchObject([{ amount: 1_000 }]);
    expect(unmatchedSettlements).toMatchObject([{ amount: 1_100 }]);
    expect(cycleCheck).toMatchObject({ unmatchedHolds: 0, difference: 0, withinTolerance: true });
  });

  test("200: a hold from before the cycle matches a settlement in it; older ones are left out", async () => {
    setTime("2027-03-01T10:00:00.000Z");
    await onCard("force-post", { amount: 77 });
    setTime("2027-03-10T10:00:00.000Z");
    const { authorizationId, transId } = await authorize(500);
    await onCard("force-post", { amount: 88 });
    setTime("2027-03-12T10:00:00.000Z");
    await onHold(authorizationId, "clear");
    const day = await report({ cycleDays: "1" });
    expect(day).toMatchObject({
      cycleStart: "2027-03-11T10:00:00.000Z",
      cycleEnd: "2027-03-12T10:00:00.000Z",
      matches: [{ hold: { transId, holdDate: "2027-03-10T10:00:00.000Z" } }],
      unmatchedSettlements: [],
    });
    expect((await report({ cycleDays: "3" })).unmatchedSettlements).toMatchObject([{ amount: 88 }]);
    expect((await report()).unmatchedSettlements).toMatchObject([{ amount: 77 }, { amount: 88 }]);
  });
});
