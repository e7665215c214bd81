import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
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

  test("200: the stored balances; available excludes holds and pending deposits", async () => {
    const card = await givenCard(program);
    await overwrite(cards.key(program.programId, card.cardId), {
      availableMinor: 700,
      heldMinor: 200,
      pendingDepositMinor: 100,
      ledgerMinor: 1000,
    });
    const path = { cardId: card.cardId };
    const { body } = await program.call("GET /cards/{cardId}/balance", { path });
    expect(body.data).toEqual({ availableBalance: 700, ledgerBalance: 1000, currency: 0 });
  });
});

describe("POST /cards/{cardId}/bank-deposit", () => {
  test("200: the money is on the card once the deposit has cleared", async () => {
    const own = await givenProgram();
    const card = await givenCard(own);
    const path = { cardId: card.cardId };
    const { status, body } = await own.call("POST /cards/{cardId}/bank-deposit", {
      path,
      body: { amount: 250 },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ transStatus: 1, amount: 250, currency: 0 });
    const balance = await own.call("GET /cards/{cardId}/balance", { path });
    expect(balance.body.data).toMatchObject({ availableBalance: 250, ledgerBalance: 250 });
  });

  test("200: with a clearing delay only the ledger balance includes it", async () => {
    const own = await givenProgram({ settings: { clearingDelaySeconds: 60 } });
    const card = await givenCard(own);
    const path = { cardId: card.cardId };
    const { body } = await own.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 250 } });
    expect(body.data.transStatus).toBe(0);
    const balance = await own.call("GET /cards/{cardId}/balance", { path });
    expect(balance.body.data).toMatchObject({ availableBalance: 0, ledgerBalance: 250 });
  });
});
