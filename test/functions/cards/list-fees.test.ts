import { describe, expect, test } from "vitest";
import { fees as storedFees } from "../../../shared/transactions/fee.ts";
import { givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { expectOnly, expectOrder, type List, type Query, type Row } from "../../harness/list-pages.ts";

const program = await givenProgram();
const cards = [await givenCard(program), await givenCard(program)];
const [first = { cardId: "", cardholderId: "" }, second = first] = cards;
const page = async (query: Query = {}) => {
  const { status, body } = await program.call("GET /cards/fees", { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { items: Row[]; total: number };
};
for (const [index, amount] of [300, 300, 40, 300, 40, 7].entries()) {
  const path = { cardId: cards[index % 2]?.cardId ?? "" };
  await program.call("POST /cards/{cardId}/fees", { path, body: { feeType: (index % 5) + 1, amount } });
}
const { items } = await page({ orderBy: "feeId", sort: "asc" });
const rows: Row[] = items.map((fee, index) => ({
  ...fee,
  dateCreated: `2026-03-01T10:00:0${index % 3}.000Z`,
}));
for (const { cardId, feeId, dateCreated } of rows)
  await overwrite(storedFees.key(program.programId, cardId, feeId), { createdAt: dateCreated });
const list: List = { page, rows, id: "feeId", newestBy: "dateCreated" };

describe("GET /cards/fees", () => {
  test("200: a fee with all its fields, newest first", async () => {
    await expectOnly(list, {}, () => true);
    const whole = await page();
    expect(whole).toMatchObject({ status: "success", total: 6, limit: 50, offset: 0 });
    expect(whole.items.find(({ feeId }) => feeId === rows[0]?.feeId)).toEqual({
      ...{ feeId: expect.stringMatching(/^fee_/), cardId: first.cardId, cardholderId: first.cardholderId },
      ...{ feeType: 1, transStatus: 3, amount: 300, currency: 0, description: "Card Issuance Fee" },
      dateCreated: rows[0]?.dateCreated,
    });
  });

  test.each(["dateCreated", "feeId", "feeType", "amount"])(
    "200: pages by %s neither repeat nor skip a fee",
    (orderBy) => expectOrder(list, orderBy, orderBy, [2]),
  );

  test("200: by card, Cardholder, id, type, status and time", async () => {
    const { cardId, cardholderId } = first;
    const isOwn = (row: Row) => row.cardId === cardId;
    for (const query of [{ cardId }, { cardholderId }, { cardId, cardholderId }])
      await expectOnly(list, query as Query, isOwn);
    await expectOnly(list, { cardId, cardholderId: second.cardholderId }, () => false);
    const feeId = rows.find(isOwn)?.feeId ?? "";
    await expectOnly(list, { feeId }, (row) => row.feeId === feeId);
    await expectOnly(list, { feeId, cardId: second.cardId }, () => false);
    for (const feeType of [1, 2, 3, 4, 5])
      await expectOnly(list, { feeType: String(feeType) }, (row) => row.feeType === feeType);
    for (const feeStatus of ["1", "2", "3", "4", "5"])
      await expectOnly(list, { feeStatus }, () => feeStatus === "3");
    const at = Date.UTC(2026, 2, 1, 10, 0, 0) / 1000;
    const between = { after: String(at), before: String(at + 2) };
    await expectOnly(list, between, ({ dateCreated }) => dateCreated === "2026-03-01T10:00:01.000Z");
  });

  test("200: fees and transactions are separate: none is in both lists", async () => {
    const transactions = async (query: Query) =>
      (await program.call("GET /cards/transactions", { query })).body;
    expect(await transactions({ limit: "200" })).toMatchObject({ items: [], total: 0 });
    const path = { cardId: first.cardId };
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
