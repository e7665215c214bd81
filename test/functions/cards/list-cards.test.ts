import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  givenWallet,
  overwrite,
} from "../../harness/given-cards.ts";
import {
  expectOnly,
  expectOrder,
  type List,
  ordered,
  type Query,
  type Row,
} from "../../harness/list-pages.ts";

const program = await givenProgram();
const holders = [
  { cardHolderLastName: "Lovelace", cardholderId: await givenApprovedCardholder(program) },
  {
    cardHolderLastName: "Curie",
    cardholderId: await givenApprovedCardholder(program, { lastName: "Curie" }),
  },
  { cardHolderLastName: "Lovelace", cardholderId: await givenApprovedCardholder(program) },
];
const rows: Row[] = [];
for (let index = 0; index < 9; index += 1) {
  const holder = holders[index % 3];
  const { cardId, maskedCardNumber } = await givenCard(program, { cardholderId: holder?.cardholderId });
  const createdDatetime = `2026-03-01T10:00:0${index % 4}.000Z`;
  const [status, blocked] = [index % 5, index === 4];
  await overwrite(cards.key(program.programId, cardId), {
    ...{ createdAt: createdDatetime, issuerCardStatus: status },
    ...(blocked && { blockedAt: createdDatetime }),
  });
  rows.push({ ...holder, cardId, status, blocked, cardForm: 0, maskedCardNumber, createdDatetime });
}
const list: List = {
  page: async (query = {}) => (await program.call("GET /cards", { query })).body,
  ...{ rows, id: "cardId", newestBy: "createdDatetime" },
};

describe("GET /cards", () => {
  test("200: the envelope, newest first, with the defaults of limit and offset", async () => {
    const items = ordered(list, "createdDatetime").map((id) => rows.find(({ cardId }) => cardId === id));
    expect(await list.page()).toEqual({ status: "success", items, total: 9, limit: 50, offset: 0 });
  });

  test.each([
    ["cardId", "cardId"],
    ["issuerCardStatus", "status"],
    ["cardholderId", "cardholderId"],
    ["cardHolderLastName", "cardHolderLastName"],
    ["createdDatetime", "createdDatetime"],
  ])("200: pages by %s are the whole list", (orderBy, field) => expectOrder(list, orderBy, field));

  test("200: names are in a person's order; who has one name alone is in it by that", async () => {
    const own = await givenProgram();
    const names = [{ lastName: "Zimmer" }, { lastName: "de Vries" }, { lastName: "Öztürk" }];
    for (const name of [...names, { lastName: "De Vries" }, { firstName: "Énée", lastName: undefined }])
      await givenCard(own, { cardholderId: await givenApprovedCardholder(own, name) });
    const { body } = await own.call("GET /cards", { query: { orderBy: "cardHolderLastName", sort: "asc" } });
    expect(body.items.map((row: Row) => row.cardHolderLastName)).toEqual([
      ...["De Vries", "de Vries", "Énée", "Öztürk", "Zimmer"],
    ]);
  });

  test("200: by the caller's own identifier, with the others", async () => {
    const own = await givenProgram();
    const { cardId, cardholderId } = await givenCard(own, { externalId: "order-1" });
    await givenCard(own, { externalId: "order-2" });
    await givenCard(own);
    const found = async (query: Query) => {
      const { body } = await own.call("GET /cards", { query });
      return body.items.map((row: Row) => [row.cardId, row.externalId]);
    };
    expect(await found({ externalId: "order-1" })).toEqual([[cardId, "order-1"]]);
    expect(await found({ externalId: "order-1", cardholderId })).toHaveLength(1);
    expect(await found({ externalId: "order-2", cardholderId })).toHaveLength(0);
    expect(await found({ externalId: "order-1", issuerCardStatus: "3" })).toHaveLength(0);
    expect(await found({ externalId: cardholderId })).toHaveLength(0);
  });

  test("200: by status, by Cardholder, by both", async () => {
    for (const issuerCardStatus of [0, 1, 2, 3, 4])
      await expectOnly(
        list,
        { issuerCardStatus: String(issuerCardStatus) },
        (row) => row.status === issuerCardStatus,
      );
    for (const { cardholderId } of holders) {
      await expectOnly(list, { cardholderId }, (row) => row.cardholderId === cardholderId);
      const both = { cardholderId, issuerCardStatus: "1" };
      await expectOnly(list, both, (row) => row.cardholderId === cardholderId && row.status === 1);
    }
    await expectOnly(list, { cardholderId: "chd_unknown" }, () => false);
  });

  test("200: before and after, which exclude their own second", async () => {
    const second = Date.UTC(2026, 2, 1, 10, 0, 1) / 1000;
    const between = { after: String(second), before: String(second + 2) };
    await expectOnly(list, between, (row) => Date.parse(row.createdDatetime) / 1000 === second + 1);
  });
});

describe("GET /cards?fundingWalletId=", () => {
  test("200: the Cards that spend from the Wallet now, page by page, and with other filters", async () => {
    const other = await givenProgram();
    const [first, second] = [await givenWallet(other), await givenWallet(other)];
    const issue = async (details: Record<string, unknown> = {}) =>
      String((await givenCard(other, details)).cardId);
    const own = await issue();
    const [a, b] = [await issue({ fundingWalletId: first }), await issue({ fundingWalletId: first })];
    const c = await issue({ fundingWalletId: second });
    const find = async (query: Record<string, string>) => {
      const { items, total } = (await other.call("GET /cards", { query })).body;
      return [items.map(({ cardId }: { cardId: string }) => cardId).toSorted(), total];
    };
    expect((await find({ fundingWalletId: first }))[0]).toEqual([a, b].toSorted());
    const spendLimit = { amount: 500, window: "day" };
    const limited = await issue({ fundingWalletId: second, spendLimit });
    const query = { fundingWalletId: second, orderBy: "createdDatetime", sort: "desc" };
    const [shown] = (await other.call("GET /cards", { query })).body.items;
    expect(shown).toMatchObject({ cardId: limited, fundingWalletId: second, spendLimit });
    const back = { path: { cardId: limited }, body: { fundingWalletId: null } };
    await other.call("PUT /cards/{cardId}/funding", back);
    const pages = [
      await find({ fundingWalletId: first, limit: "1" }),
      await find({ fundingWalletId: first, limit: "1", offset: "1" }),
    ];
    expect(pages.flatMap(([ids]) => ids).toSorted()).toEqual([a, b].toSorted());
    const { cardholderId } = (await other.call("GET /cards/{cardId}", { path: { cardId: a } })).body.data;
    expect((await find({ fundingWalletId: first, cardholderId }))[0]).toEqual([a]);
    const lastFour = (await other.call("GET /cards/{cardId}", { path: { cardId: c } })).body.data
      .maskedCardNumber;
    expect((await find({ fundingWalletId: first, lastFour: lastFour.slice(-4) }))[0]).not.toContain(c);
    for (const cardId of [b, own])
      await other.call("PUT /cards/{cardId}/funding", {
        path: { cardId },
        body: { fundingWalletId: second },
      });
    expect((await find({ fundingWalletId: first }))[0]).toEqual([a]);
    expect((await find({ fundingWalletId: second }))[0]).toEqual([b, c, own].toSorted());
  });
});
