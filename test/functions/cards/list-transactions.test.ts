import { describe, expect, test } from "vitest";
import { transactions } from "../../../shared/transactions/transaction.ts";
import { givenApprovedCardholder, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { expectOnly, type List, ordered, type Query, type Row } from "../../harness/list-pages.ts";
import { measure } from "../../harness/measure.ts";

/** Two cards of one Cardholder and one of another, each with a hold. */
const program = await givenProgram();
const page = async (query: Query = {}) => {
  const { status, body } = await program.call("GET /cards/transactions", { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { items: Row[]; total: number };
};
const holders = [await givenApprovedCardholder(program), await givenApprovedCardholder(program)] as const;
const [first, second, third] = [
  await givenCard(program, { cardholderId: holders[0] }),
  await givenCard(program, { cardholderId: holders[0] }),
  await givenCard(program, { cardholderId: holders[1] }),
];
const on = async ({ cardId }: { cardId: string }, route: string, body: object) => {
  const answer = await program.call(`POST /cards/{cardId}/${route}`, { path: { cardId }, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data as Record<string, string>;
};
for (const card of [first, second, third]) await on(card, "bank-deposit", { amount: 50_000 });
await on(first, "force-post", { amount: 1_200, merchantName: "Corner Shop", mcc: "5411" });
await on(first, "refunds", { amount: 300 });
await on(second, "atm-withdrawals", { amount: 2_000, feeAmount: 250 });
await on(second, "deposits", { amount: 7_000 });
const { depositId = "" } = await on(third, "deposits", { amount: 9_000 });
await program.call("POST /deposits/{depositId}/reverse", { path: { depositId } });
await on(third, "force-post", { amount: 1_200, srcAmount: 1_000, srcCurrency: "978" });
await on(first, "authorizations", { amount: 4_000 });
await on(second, "authorizations", { amount: 500 });
await on(third, "authorizations", { amount: 70 });
const { transId: declinedId = "" } = await on(third, "authorizations", { amount: 900_000 });
// Most orders are to be decided by ties.
const rows: Row[] = (await page({ limit: "200", orderBy: "transId", sort: "asc" })).items
  .slice(1)
  .map((row, index) => ({
    ...{ ...row, transDate: `2026-03-01T10:00:0${index % 3}.000Z` },
    dateCreated: `2026-03-01T10:00:0${index % 4}.000Z`,
  }));
for (const { cardId, transId, transDate, dateCreated } of rows)
  await overwrite(transactions.key(program.programId, cardId, transId), {
    transDate,
    createdAt: dateCreated,
  });

const whole: List = { page, rows, id: "transId", newestBy: "transDate", head: ["pending"] };
/** Where a filter leaves out the line of open holds. */
const list: List = { ...whole, head: [] };
const ids = ({ items }: { items: Row[] }) => items.map(({ transId }) => transId);

describe("GET /cards/transactions", () => {
  test("200: posted transactions, deposits, loads and pending deposits; neither holds nor their releases", () => {
    const seen = rows.map(({ transType, transStatus, type, amount }) => [
      transType,
      transStatus,
      type,
      amount,
    ]);
    const deposited = [18, 2, "CR", 50_000];
    expect(seen.toSorted()).toEqual(
      [
        ...[deposited, deposited, deposited, [3, 3, "DR", 1_200], [54, 3, "CR", 300]],
        ...[
          [36, 3, "DR", 2_000],
          [24, 1, "CR", 7_000],
          [3, 3, "DR", 1_200],
        ],
      ].toSorted(),
    );
  });

  test("200: a settled purchase with all its fields", async () => {
    const { cardId, cardholderId } = first;
    const text = expect.any(String);
    expect((await page({ cardId, transType: "3" })).items).toEqual([
      {
        ...{ transId: expect.stringMatching(/^txn_/), cardId, cardholderId, transType: 3, transStatus: 3 },
        ...{ type: "DR", amount: 1_200, currency: 0, srcAmount: 1_200, srcCurrency: "840" },
        ...{ merchantName: "Corner Shop", mcc: "5411", description: "Corner Shop" },
        ...{ referenceCode: expect.stringMatching(/./), transDate: text, postDate: text, dateCreated: text },
        isAggregate: false,
      },
    ]);
  });

  test("200: newest first by default; of a card, of a Cardholder, in pages too", async () => {
    const { cardholderId, cardId } = first;
    await expectOnly(whole, {}, () => true);
    for (const scope of [{ cardholderId }, { cardId }, { cardId, cardholderId }] as Query[]) {
      const isOwn = (row: Row) => Object.entries(scope).every(([name, id]) => row[name] === id);
      await expectOnly(whole, scope, isOwn);
      const own = ordered(whole, "transDate", "desc", rows.filter(isOwn));
      expect(ids(await page({ ...scope, limit: "2", offset: "1" }))).toEqual(own.slice(1, 3));
    }
  });

  test("200: a page beyond the end is empty, with the exact total; without the line no offset shifts", async () => {
    expect(await page({ offset: "50" })).toMatchObject({ items: [], total: rows.length + 1 });
    const isSettled = ({ transStatus }: Row) => transStatus === 3;
    await expectOnly(list, { transStatus: "3" }, isSettled);
    const settled = ordered(list, "transDate", "desc", rows.filter(isSettled));
    expect(ids(await page({ transStatus: "3", limit: "2", offset: "1" }))).toEqual(settled.slice(1, 3));
  });

  test("200: declines only with transStatus=4 or transType=77, with the reason", async () => {
    const { items, total } = await page({ transStatus: "4" });
    expect(total).toBe(1);
    const decline = { transType: 77, transStatus: 4, declineReason: expect.any(String) };
    expect(items).toMatchObject([{ transId: declinedId, amount: 900_000, ...decline }]);
    expect(await page({ transType: "77" })).toMatchObject({ items, total: 1 });
    const none: Query[] = [{ transType: "77", transStatus: "3" }, { transId: declinedId }];
    for (const query of none) await expectOnly(list, query, () => false);
    expect(ids(await page({ transType: "77", transStatus: "4", transId: declinedId }))).toEqual([declinedId]);
  });

  test("200: by id, with or without its card; not by an id of another card", async () => {
    const own = rows.find(({ cardId }) => cardId === first.cardId);
    const transId = own?.transId ?? "";
    const { cardId, cardholderId } = first;
    for (const query of [{ transId }, { transId, cardId }, { transId, cardholderId }] as Query[])
      expect((await page(query)).items).toEqual([own]);
    for (const none of [
      { transId, cardId: second.cardId },
      { transId: transId.slice(0, -1), cardId },
    ])
      await expectOnly(list, none, () => false);
  });

  test("200: a card's list reads its own partition, a Cardholder's only those of their cards", async () => {
    const { cardId, cardholderId } = first;
    const ofCard = await measure(() => page({ cardId }));
    expect(ofCard.cost).toMatchObject({ roundTrips: 1, calls: ["BatchGetItem", "Query"] });
    const ofCardholder = await measure(() => page({ cardholderId }));
    expect(ofCardholder.cost.calls.toSorted()).toEqual(["BatchGetItem", ...Array(4).fill("Query")]);
  });
});

describe("the line of open holds", () => {
  test("200: is one, first in every order, and counted", async () => {
    for (const sort of ["asc", "desc"]) {
      const { items, total } = await page({ orderBy: "amount", sort });
      expect(total).toBe(rows.length + 1);
      expect(items[0]).toEqual({
        ...{ transId: "pending", transType: 1, transStatus: 1, type: "DR", amount: 4_570, currency: 0 },
        ...{ description: "Pending authorizations", isAggregate: true },
        ...{ transDate: expect.any(String), dateCreated: expect.any(String) },
      });
    }
  });

  test("200: sums up the filter's scope: card, Cardholder, or Program", async () => {
    const { cardId, cardholderId } = first;
    const scopes: [Query, number | undefined][] = [
      [{ cardId }, 4_000],
      [{ cardholderId }, 4_500],
      [{ cardholderId: third.cardholderId }, 70],
      [{ cardholderId, cardId: second.cardId }, 500],
      [{ cardholderId, cardId: third.cardId }, undefined],
      [{ cardId: "crd_unknown" }, undefined],
      [{ cardholderId: "chd_unknown" }, undefined],
      [{ cardId: (await givenCard(program)).cardId }, undefined],
    ];
    for (const [scope, amount] of scopes) {
      const [line] = (await page(scope)).items.filter(({ isAggregate }) => isAggregate);
      expect(line?.amount).toBe(amount);
      if (line) expect(line).toMatchObject(scope);
    }
  });

  test("200: has type 1, status 1, the id pending, and the time of the request", async () => {
    const [after, before] = ["1", "4000000000"];
    const shown: Query[] = [{ transType: "1" }, { transStatus: "1" }, { transId: "pending" }];
    const without: Query[] = [
      ...[{ transType: "3" }, { transStatus: "2" }, { transStatus: "3" }, { transStatus: "4" }],
      ...[{ transId: rows[0]?.transId ?? "" }, { before: after }, { after: before }, { after, before: "2" }],
    ];
    for (const query of [...shown, { after, before }, { after }, { before }, ...without]) {
      const line = (await page(query)).items[0]?.isAggregate === true;
      expect(line, JSON.stringify(query)).toBe(!without.includes(query));
    }
    expect(await page({ transType: "1" })).toMatchObject({ total: 1 });
    expect(ids(await page({ transId: "pending" }))).toEqual(["pending"]);
    expect(await page({ after, before })).toMatchObject({ total: rows.length + 1 });
  });
});
