import { beforeAll, describe, expect, test } from "vitest";
import { fees as storedFees } from "../../../shared/transactions/fee.ts";
import { type GivenProgram, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";

type Row = Record<string, string | number> & { feeId: string };

let program: GivenProgram;
let cards: { cardId: string; cardholderId: string }[];
let fees: Row[];

type Query = Record<string, string>;

const list = async (query: Query = {}) => {
  const { status, body } = await program.call("GET /cards/fees", { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { items: Row[]; total: number };
};
const ids = ({ items }: { items: Row[] }) => items.map(({ feeId }) => feeId);

beforeAll(async () => {
  program = await givenProgram();
  cards = [await givenCard(program), await givenCard(program)];
  for (const [index, amount] of [300, 300, 40, 300, 40, 7].entries()) {
    const path = { cardId: cards[index % 2]?.cardId ?? "" };
    const body = { feeType: (index % 5) + 1, amount };
    await program.call("POST /cards/{cardId}/fees", { path, body });
  }
  fees = (await list({ orderBy: "feeId", sort: "asc" })).items;
  for (const [index, fee] of fees.entries()) {
    fee.dateCreated = `2026-03-01T10:00:0${index % 3}.000Z`;
    const key = storedFees.key(program.programId, String(fee.cardId), fee.feeId);
    await overwrite(key, { createdAt: fee.dateCreated });
  }
});

function ordered(by: string, sort: string, of: Row[] = fees): string[] {
  const ascending = of.toSorted((left, right) => {
    const [a, b] = [left[by] as string, right[by] as string];
    return a !== b ? (a < b ? -1 : 1) : left.feeId < right.feeId ? -1 : 1;
  });
  return (sort === "asc" ? ascending : ascending.toReversed()).map(({ feeId }) => feeId);
}

describe("GET /cards/fees", () => {
  test("200: a fee with all its fields, newest first", async () => {
    expect(fees).toHaveLength(6);
    const page = await list();
    expect(ids(page)).toEqual(ordered("dateCreated", "desc"));
    expect(page).toMatchObject({ status: "success", total: 6, limit: 50, offset: 0 });
    expect(page.items.find(({ feeId }) => feeId === fees[0]?.feeId)).toEqual({
      feeId: expect.stringMatching(/^fee_/),
      ...(cards[0] && { cardId: cards[0].cardId, cardholderId: cards[0].cardholderId }),
      feeType: 1,
      transStatus: 3,
      amount: 300,
      currency: 0,
      description: "Card Issuance Fee",
      dateCreated: fees[0]?.dateCreated,
    });
  });

  for (const orderBy of ["dateCreated", "feeId", "feeType", "amount"]) {
    for (const sort of ["asc", "desc"]) {
      test(`200: pages by ${orderBy} ${sort} neither repeat nor skip a fee`, async () => {
        const collected: string[] = [];
        for (const offset of ["0", "2", "4"]) {
          collected.push(...ids(await list({ orderBy, sort, limit: "2", offset })));
        }
        expect(collected).toEqual(ordered(orderBy, sort));
      });
    }
  }

  test("200: by card, Cardholder, id, type and status", async () => {
    const [first, second] = cards;
    const own = fees.filter(({ cardId }) => cardId === first?.cardId);
    const { cardId = "", cardholderId = "" } = first ?? {};
    for (const query of [{ cardId }, { cardholderId }, { cardId, cardholderId }] as Query[]) {
      expect(ids(await list(query))).toEqual(ordered("dateCreated", "desc", own));
    }
    expect(await list({ cardId, cardholderId: second?.cardholderId ?? "" })).toMatchObject({ total: 0 });
    const feeId = own[0]?.feeId ?? "";
    expect(ids(await list({ feeId }))).toEqual([feeId]);
    expect(await list({ feeId, cardId: second?.cardId ?? "" })).toMatchObject({ total: 0 });
    for (const feeType of [1, 2, 3, 4, 5]) {
      const matching = fees.filter((fee) => fee.feeType === feeType);
      expect(ids(await list({ feeType: String(feeType) }))).toEqual(ordered("dateCreated", "desc", matching));
    }
    expect(await list({ feeStatus: "3" })).toMatchObject({ total: 6 });
    for (const feeStatus of ["1", "2", "4", "5"])
      expect(await list({ feeStatus })).toMatchObject({ total: 0 });
  });

  test("200: created strictly between after and before", async () => {
    const second = Date.UTC(2026, 2, 1, 10, 0, 0) / 1000;
    const matching = fees.filter(({ dateCreated }) => dateCreated === "2026-03-01T10:00:01.000Z");
    const page = await list({ after: String(second), before: String(second + 2) });
    expect(ids(page)).toEqual(ordered("dateCreated", "desc", matching));
  });

  test("200: fees and transactions are separate: none is in both lists", async () => {
    const { body } = await program.call("GET /cards/transactions", { query: { limit: "200" } });
    expect(body).toMatchObject({ items: [], total: 0 });
    const path = { cardId: cards[0]?.cardId ?? "" };
    const withdrawal = { amount: 100, feeAmount: 5, advice: true };
    const { body: posted } = await program.call("POST /cards/{cardId}/atm-withdrawals", {
      path,
      body: withdrawal,
    });
    const { items } = await list({ cardId: path.cardId, feeType: "3", orderBy: "feeId" });
    expect(items[0]).toMatchObject({
      feeId: posted.data.feeId,
      amount: 5,
      relatedTransId: posted.data.transId,
    });
    const transactions = await program.call("GET /cards/transactions", { query: path });
    expect(transactions.body.items).toMatchObject([{ transId: posted.data.transId, amount: 100 }]);
  });

  test("200: a reversed fee stays listed; its reversal is a transaction", async () => {
    const { cardId } = await givenCard(program);
    const path = { cardId };
    const charge = { feeType: 5, amount: 9 };
    const { feeId } = (await program.call("POST /cards/{cardId}/fees", { path, body: charge })).body.data;
    await program.call("POST /cards/{cardId}/fees/{feeId}/reverse", { path: { cardId, feeId } });
    expect(ids(await list({ cardId }))).toEqual([feeId]);
    const { body } = await program.call("GET /cards/transactions", { query: { cardId } });
    expect(body.items).toMatchObject([{ transType: 17, type: "CR", amount: 9 }]);
  });

  test("422: every parameter out of its range or form, each named", async () => {
    const wrong = { feeStatus: "6", feeType: "0", orderBy: "transDate", sort: "down", limit: "0" };
    const { status, body } = await program.call("GET /cards/fees", { query: wrong });
    expect(status).toBe(422);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(
      Object.keys(wrong)
        .map((name) => `query.${name}`)
        .toSorted(),
    );
  });
});
