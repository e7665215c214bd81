import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { storedItems } from "../../harness/stored.ts";

const program = await givenProgram();
const { cardId } = await givenCard(program);
const unknown = "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M";
const views = ["GET /cards/{cardId}", "GET /cards/{cardId}/status", "GET /cards/{cardId}/balance"] as const;

describe("views of a card", () => {
  for (const route of views) {
    test(`200: ${route} asks the table once`, async () => {
      const { result, cost } = await measure(() => program.call(route, { path: { cardId } }));
      expect([result.status, cost.calls]).toEqual([200, ["GetItem"]]);
    });

    test(`404: ${route} of an unknown card, a Cardholder, or no id at all`, async () => {
      for (const id of [unknown, "chd_01J9ZC3P2V8Q4N6T0B5W7XKD1M", "transactions", "crd_", "' OR 1=1"]) {
        const { status, body } = await program.call(route, { path: { cardId: id } });
        expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
      }
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

  test("404, 422 and 400: no such card, no such amount", async () => {
    const call = async (id: string, body: unknown) =>
      (await program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId: id }, body })).status;
    const before = await storedItems(program.programId);
    expect(await call(unknown, { amount: 1 })).toBe(404);
    for (const amount of [0, -1, 1.5, 1e15, undefined]) expect(await call(cardId, { amount })).toBe(422);
    expect(await call(cardId, { amount: "1" })).toBe(400);
    expect(await storedItems(program.programId)).toEqual(before);
  });
});

describe("POST /cards/{cardId}/deposit", () => {
  const notify = (id: string) =>
    program.call("POST /cards/{cardId}/deposit", { path: { cardId: id }, body: { txHash: "00", amount: 5 } });

  test("200: deprecated: moves nothing, and says so in its headers", async () => {
    const before = await storedItems(program.programId);
    const { status, body, headers } = await notify(cardId);
    expect([status, body.data]).toEqual([200, {}]);
    expect(headers.Deprecation).toMatch(/^@\d+$/);
    expect(headers.Link).toContain('rel="deprecation"');
    expect(await storedItems(program.programId)).toEqual(before);
  });

  test("404: no such card", async () => {
    expect((await notify(unknown)).status).toBe(404);
  });
});
