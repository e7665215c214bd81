import { describe, expect, test } from "vitest";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";

const program = await givenProgram();
const card = await givenCard(program);
const page = async (query: Record<string, string> = {}) => {
  const { status, body } = await program.call("GET /cards/fees", { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { items: Record<string, unknown>[]; total: number };
};

describe("GET /cards/fees", () => {
  test("200: a fee with all its fields", async () => {
    const { cardId, cardholderId } = card;
    const charge = { feeType: 1, amount: 300 };
    await program.call("POST /cards/{cardId}/fees", { path: { cardId }, body: charge });
    expect((await page()).items).toEqual([
      {
        ...{ feeId: expect.stringMatching(/^fee_/), cardId, cardholderId, ...charge, currency: 0 },
        ...{ transStatus: 3, description: "Card Issuance Fee", dateCreated: expect.any(String) },
      },
    ]);
  });

  test("200: fees and transactions are separate: none is in both lists", async () => {
    const transactions = async (query: Record<string, string>) =>
      (await program.call("GET /cards/transactions", { query })).body;
    expect(await transactions({ limit: "200" })).toMatchObject({ items: [], total: 0 });
    const path = { cardId: card.cardId };
    const body = { amount: 100, feeAmount: 5, advice: true };
    const { data } = (await program.call("POST /cards/{cardId}/atm-withdrawals", { path, body })).body;
    const found = await page({ ...path, feeType: "3", orderBy: "feeId" });
    expect(found.items[0]).toMatchObject({ feeId: data.feeId, amount: 5, relatedTransId: data.transId });
    expect((await transactions(path)).items).toMatchObject([{ transId: data.transId, amount: 100 }]);
  });

  test("200: a reversed fee stays listed; its reversal is a transaction", async () => {
    const { cardId } = await givenCard(program);
    const charge = { feeType: 5, amount: 9 };
    const { feeId } = (await program.call("POST /cards/{cardId}/fees", { path: { cardId }, body: charge }))
      .body.data;
    await program.call("POST /cards/{cardId}/fees/{feeId}/reverse", { path: { cardId, feeId } });
    expect(await page({ cardId })).toMatchObject({ total: 1, items: [{ feeId }] });
    const { body } = await program.call("GET /cards/transactions", { query: { cardId } });
    expect(body.items).toMatchObject([{ transType: 17, type: "CR", amount: 9 }]);
  });
});
