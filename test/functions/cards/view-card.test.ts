import { describe, expect, test } from "vitest";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";

const program = await givenProgram();
const { cardId } = await givenCard(program);
const views = ["GET /cards/{cardId}", "GET /cards/{cardId}/status", "GET /cards/{cardId}/balance"] as const;

describe("views of a card", () => {
  for (const route of views) {
    test(`200: ${route} asks the table once`, async () => {
      const { result, cost } = await measure(() => program.call(route, { path: { cardId } }));
      expect([result.status, cost.calls.length, cost.readUnits]).toEqual([200, 1, 1]);
    });
  }
});

test("an authorization takes no more for a Card that is topped up by itself", async () => {
  const path = { cardId };
  await program.call("POST /cards/{cardId}/refunds", { path, body: { amount: 1_000 } });
  const authorize = () =>
    program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 100 } });
  await authorize();
  const plain = await measure(authorize);
  const walletId = await givenWallet(program, 1_000);
  const body = { walletId, threshold: 800, amount: 500 };
  expect((await program.call("PUT /cards/{cardId}/top-up", { path, body })).status).toBe(200);
  await authorize();
  const topped = await measure(authorize);
  expect([plain, topped].map(({ result }) => result.body.data.approved)).toEqual([true, true]);
  expect(topped.cost.roundTrips).toBe(plain.cost.roundTrips);
});
