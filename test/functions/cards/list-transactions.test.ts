import { describe, expect, test } from "vitest";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { givenStatement, type Query } from "./given-statement.ts";

const { program, cards, rows, declinedId, list, ids, ordered } = await givenStatement();

describe("GET /cards/transactions", () => {
  test("200: posted transactions, deposits, loads and pending deposits; neither holds nor their releases", () => {
    const seen = rows.map(({ transType, transStatus, type, amount }) => [
      transType,
      transStatus,
      type,
      amount,
    ]);
    expect(seen.toSorted()).toEqual(
      [
        [18, 2, "CR", 50_000],
        [18, 2, "CR", 50_000],
        [18, 2, "CR", 50_000],
        [3, 3, "DR", 1_200],
        [54, 3, "CR", 300],
        [36, 3, "DR", 2_000],
        [24, 1, "CR", 7_000],
        [3, 3, "DR", 1_200],
      ].toSorted(),
    );
  });

  test("200: a settled purchase with all its fields", async () => {
    const [card] = cards;
    const { items } = await list({ cardId: card?.cardId ?? "", transType: "3" });
    expect(items).toEqual([
      {
        transId: expect.stringMatching(/^txn_/),
        cardId: card?.cardId,
        cardholderId: card?.cardholderId,
        transType: 3,
        transStatus: 3,
        type: "DR",
        amount: 1_200,
        currency: 0,
        srcAmount: 1_200,
        srcCurrency: "840",
        merchantName: "Corner Shop",
        mcc: "5411",
        referenceCode: expect.stringMatching(/./),
        description: "Corner Shop",
        transDate: expect.any(String),
        postDate: expect.any(String),
        dateCreated: expect.any(String),
        isAggregate: false,
      },
    ]);
  });

  test("200: newest first by default; of a card, of a Cardholder, in pages too", async () => {
    expect(ids(await list())).toEqual(["pending", ...ordered("transDate", "desc")]);
    const { cardholderId = "", cardId = "" } = cards[0] ?? {};
    for (const scope of [{ cardholderId }, { cardId }, { cardId, cardholderId }] as Query[]) {
      const own = rows.filter((row) => Object.entries(scope).every(([name, id]) => row[name] === id));
      const whole = ["pending", ...ordered("transDate", "desc", own)];
      expect(own.length).toBeGreaterThan(1);
      expect(await list(scope)).toMatchObject({ total: whole.length });
      expect(ids(await list(scope))).toEqual(whole);
      expect(ids(await list({ ...scope, limit: "2", offset: "1" }))).toEqual(whole.slice(1, 3));
    }
  });

  test("200: a page beyond the end is empty, with the exact total; without the line no offset shifts", async () => {
    expect(await list({ offset: "50" })).toMatchObject({ items: [], total: rows.length + 1 });
    const settled = rows.filter(({ transStatus }) => transStatus === 3);
    const page = await list({ transStatus: "3", limit: "2", offset: "1" });
    expect(ids(page)).toEqual(ordered("transDate", "desc", settled).slice(1, 3));
    expect(page.total).toBe(settled.length);
  });

  test("200: declines only with transStatus=4 or transType=77, with the reason", async () => {
    const { items, total } = await list({ transStatus: "4" });
    expect(total).toBe(1);
    const decline = { transType: 77, transStatus: 4, declineReason: "INSUFFICIENT_FUNDS" };
    expect(items).toMatchObject([{ transId: declinedId, amount: 900_000, ...decline }]);
    expect(await list({ transType: "77" })).toMatchObject({ items, total: 1 });
    expect(await list({ transType: "77", transStatus: "3" })).toMatchObject({ total: 0 });
    expect(await list({ transId: declinedId })).toMatchObject({ total: 0 });
    const both = { transType: "77", transStatus: "4", transId: declinedId };
    expect(ids(await list(both))).toEqual([declinedId]);
  });

  test("200: by id, with or without its card; not by an id of another card", async () => {
    const [first, second] = cards;
    const own = rows.find(({ cardId }) => cardId === first?.cardId);
    const transId = own?.transId ?? "";
    expect((await list({ transId })).items).toEqual([own]);
    expect((await list({ transId, cardId: first?.cardId ?? "" })).items).toEqual([own]);
    expect((await list({ transId, cardholderId: first?.cardholderId ?? "" })).items).toEqual([own]);
    expect(await list({ transId, cardId: second?.cardId ?? "" })).toMatchObject({ total: 0 });
    expect(await list({ transId: transId.slice(0, -1), cardId: first?.cardId ?? "" })).toMatchObject({
      total: 0,
    });
  });

  test("200: a pending deposit becomes 18 when cleared, and is not listed when reversed", async () => {
    const { cardId } = await givenCard(program);
    const path = { cardId };
    const deposit = async () =>
      (await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 5 } })).body.data
        .depositId;
    const [cleared, reversed] = [await deposit(), await deposit()];
    expect((await list({ cardId })).items.map(({ transType }) => transType)).toEqual([24, 24]);
    await program.call("POST /deposits/{depositId}/clear", { path: { depositId: cleared } });
    await program.call("POST /deposits/{depositId}/reverse", { path: { depositId: reversed } });
    const { items, total } = await list({ cardId });
    expect(total).toBe(1);
    expect(items).toMatchObject([{ transType: 18, transStatus: 2, amount: 5, postDate: expect.any(String) }]);
    expect(await list({ cardId, transType: "25" })).toMatchObject({ total: 0 });
  });

  test("200: a transfer's status 1 is Approved, its transaction's 2 Cleared; a sweep takes what a load brought", async () => {
    const { cardId } = await givenCard(program);
    const { walletId } = (await program.call("POST /wallets", { body: { name: "One" } })).body.data;
    await program.call("POST /wallets/{walletId}/bank-deposit", {
      path: { walletId },
      body: { amount: 900 },
    });
    const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId };
    const loaded = await program.call("POST /wallets/transfer", { body: { ...transfer, amount: 400 } });
    const declined = await program.call("POST /wallets/transfer", { body: { ...transfer, amount: 4_000 } });
    expect([loaded.body.data.transStatus, declined.body.data.transStatus]).toEqual([1, 2]);
    const load = { transType: 80, transStatus: 2, type: "CR", amount: 400 };
    expect((await list({ cardId })).items).toMatchObject([load]);
    expect(await list({ cardId, transStatus: "1" })).toMatchObject({ total: 0 });
    await program.call("POST /cards/{cardId}/close", {
      path: { cardId },
      body: { sweepToWalletId: walletId },
    });
    const unload = { transType: 88, transStatus: 2, type: "DR", amount: 400 };
    expect((await list({ cardId, orderBy: "transId" })).items).toMatchObject([unload, load]);
  });

  test("200: created strictly between after and before", async () => {
    const second = Date.UTC(2026, 2, 1, 10, 0, 1) / 1000;
    const between = { after: String(second), before: String(second + 2) };
    const matching = rows.filter(({ dateCreated }) => dateCreated === "2026-03-01T10:00:02.000Z");
    expect(matching.length).toBeGreaterThan(0);
    const page = await list(between);
    expect(ids(page)).toEqual(ordered("transDate", "desc", matching));
    expect(page.total).toBe(matching.length);
  });

  test("200: nothing of another Program, even by id", async () => {
    const stranger = await givenProgram();
    for (const query of [
      {},
      { cardId: cards[0]?.cardId ?? "" },
      { transId: rows[0]?.transId ?? "" },
    ] as Query[]) {
      const { body } = await stranger.call("GET /cards/transactions", { query });
      expect(body).toMatchObject({ items: [], total: 0 });
    }
  });

  test("200: a card's list reads its own partition, a Cardholder's only those of their cards", async () => {
    const { cardId = "", cardholderId = "" } = cards[0] ?? {};
    const ofCard = await measure(() => list({ cardId }));
    expect(ofCard.cost).toMatchObject({ roundTrips: 1, calls: ["BatchGetItem", "Query"] });
    const ofCardholder = await measure(() => list({ cardholderId }));
    expect(ofCardholder.cost.calls.toSorted()).toEqual(["BatchGetItem", ...Array(4).fill("Query")]);
  });

  test("422: every parameter out of its range or form, all listed", async () => {
    const wrong = {
      transStatus: "0",
      transType: "90",
      orderBy: "merchantName",
      sort: "up",
      limit: "201",
      offset: "-1",
      before: "x",
    };
    const { status, body } = await program.call("GET /cards/transactions", { query: wrong });
    expect(status).toBe(422);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(
      Object.keys(wrong)
        .map((name) => `query.${name}`)
        .toSorted(),
    );
  });
});
