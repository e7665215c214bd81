import { describe, expect, test } from "vitest";
import { givenCard } from "../../harness/given-cards.ts";
import { expectWholeList, givenStatement, orders, type Query } from "./given-statement.ts";

const statement = await givenStatement();
const { program, cards, rows, list, ids } = statement;

describe("the aggregate line of GET /cards/transactions", () => {
  test("200: all open holds are one line, which is first in every order and is counted", async () => {
    for (const sort of ["asc", "desc"]) {
      const { items, total } = await list({ orderBy: "amount", sort });
      expect(total).toBe(rows.length + 1);
      expect(items[0]).toEqual({
        transId: "pending",
        transType: 1,
        transStatus: 1,
        type: "DR",
        amount: 4_570,
        currency: 0,
        description: "Pending authorizations",
        transDate: expect.any(String),
        dateCreated: expect.any(String),
        isAggregate: true,
      });
    }
  });

  test("200: the line sums up the filter's scope: card, Cardholder, or Program", async () => {
    const [first, second, third] = cards;
    const holder = { cardholderId: first?.cardholderId ?? "" };
    const scopes: [Query, number | undefined][] = [
      [{ cardId: first?.cardId ?? "" }, 4_000],
      [holder, 4_500],
      [{ cardholderId: third?.cardholderId ?? "" }, 70],
      [{ ...holder, cardId: second?.cardId ?? "" }, 500],
      [{ ...holder, cardId: third?.cardId ?? "" }, undefined],
      [{ cardId: "crd_unknown" }, undefined],
      [{ cardholderId: "chd_unknown" }, undefined],
    ];
    for (const [scope, amount] of scopes) {
      const { items } = await list(scope);
      expect(items.filter(({ isAggregate }) => isAggregate).map((line) => line.amount)).toEqual(
        amount === undefined ? [] : [amount],
      );
      if (amount !== undefined) expect(items[0]).toMatchObject(scope);
    }
  });

  test("200: no line where nothing is held", async () => {
    const empty = await givenCard(program);
    expect(await list({ cardId: empty.cardId })).toMatchObject({ items: [], total: 0 });
  });

  test("200: the line has type 1, status 1, the id pending, and the time of the request", async () => {
    const line = async (query: Query) => (await list(query)).items[0]?.isAggregate === true;
    const span = { after: "1", before: "4000000000" };
    const shown: Query[] = [{ transType: "1" }, { transStatus: "1" }, { transId: "pending" }, span];
    for (const query of [...shown, { after: span.after }, { before: span.before }]) {
      expect(await line(query), JSON.stringify(query)).toBe(true);
    }
    const without: Query[] = [
      { transType: "3" },
      { transStatus: "2" },
      { transStatus: "3" },
      { transStatus: "4" },
      { transId: rows[0]?.transId ?? "" },
      { before: span.after },
      { after: span.before },
      { after: span.after, before: "2" },
    ];
    for (const query of without) expect(await line(query), JSON.stringify(query)).toBe(false);
    expect(await list({ transType: "1" })).toMatchObject({ total: 1 });
    expect(ids(await list({ transId: "pending" }))).toEqual(["pending"]);
    expect(await list(span)).toMatchObject({ total: rows.length + 1 });
  });

  describe("and the rows are in pages the whole list", () => {
    test.each(orders)("200: by %s %s", (orderBy, sort) =>
      expectWholeList(statement, orderBy, sort, [4, 200]),
    );

    test("200: of one row each", () => expectWholeList(statement, "transDate", "desc", [1]));
  });
});
