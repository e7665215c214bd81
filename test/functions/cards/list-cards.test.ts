import { expect, test } from "vitest";
import { givenApprovedCardholder, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";

test("GET /cards, 200: names are in a person's order; who has one name alone is in it by that", async () => {
  const own = await givenProgram();
  const names = [{ lastName: "Zimmer" }, { lastName: "de Vries" }, { lastName: "Öztürk" }];
  for (const name of [...names, { lastName: "De Vries" }, { firstName: "Énée", lastName: undefined }])
    await givenCard(own, { cardholderId: await givenApprovedCardholder(own, name) });
  const { body } = await own.call("GET /cards", { query: { orderBy: "cardHolderLastName", sort: "asc" } });
  expect(body.items.map((row: { cardHolderLastName: string }) => row.cardHolderLastName)).toEqual([
    ...["De Vries", "de Vries", "Énée", "Öztürk", "Zimmer"],
  ]);
});

test("GET /cards?fundingWalletId=, 200: the Cards that spend from the Wallet now, page by page, and with other filters", async () => {
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
