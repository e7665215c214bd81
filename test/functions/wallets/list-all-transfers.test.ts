import { beforeAll, expect, test } from "vitest";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";

let program: GivenProgram;
let one: string;
let other: string;
let cardId: string;
const made: Record<string, string> = {};

beforeAll(async () => {
  program = await givenProgram();
  one = await givenWallet(program, 100_000);
  other = await givenWallet(program, 0);
  cardId = (await givenCard(program)).cardId as string;
  const transfer = async (name: string, body: object) => {
    const answer = await program.call("POST /wallets/transfer", {
      body: { externalId: name, ...body } as never,
    });
    made[name] = answer.body.data.transferId as string;
  };
  await transfer("between", { sourceWalletId: one, destinationType: 0, destinationId: other, amount: 500 });
  await transfer("load", { sourceWalletId: one, destinationType: 1, destinationId: cardId, amount: 700 });
  await transfer("declined", {
    sourceWalletId: other,
    destinationType: 1,
    destinationId: cardId,
    amount: 9_000,
  });
  const unload = await program.call("POST /cards/{cardId}/unload", {
    path: { cardId },
    body: { walletId: other, amount: 100, externalId: "unload" },
  });
  made.unload = unload.body.data.transferId as string;
});

const found = async (query: Record<string, string>, path?: string) => {
  const { status, body } = await (path
    ? program.call("GET /wallets/{walletId}/transfers", { path: { walletId: path }, query })
    : program.call("GET /transfers", { query: { sort: "asc", ...query } }));
  expect([status, body.items.length]).toEqual([
    200,
    Math.min(body.total as number, Number(query.limit ?? 50)),
  ]);
  return body.items.map(({ externalId }: { externalId: string }) => externalId);
};

test("all transfers of the Program, each once", async () => {
  expect(await found({})).toEqual(["between", "load", "declined", "unload"]);
  expect(await found({ orderBy: "amount", sort: "desc" })).toEqual(["declined", "load", "between", "unload"]);
  const page = await program.call("GET /transfers", { query: { sort: "asc", limit: "2", offset: "1" } });
  expect(page.body).toMatchObject({ total: 4, items: [{ externalId: "load" }, { externalId: "declined" }] });
});

test("by source, destination, status, amount and externalId; several must all hold", async () => {
  expect(await found({ sourceWalletId: one })).toEqual(["between", "load"]);
  expect(await found({ sourceCardId: cardId })).toEqual(["unload"]);
  expect(await found({ destinationId: other })).toEqual(["between", "unload"]);
  expect(await found({ destinationId: cardId })).toEqual(["load", "declined"]);
  expect(await found({ destinationId: cardId, transStatus: "2" })).toEqual(["declined"]);
  expect(await found({ sourceWalletId: one, destinationId: cardId })).toEqual(["load"]);
  expect(await found({ sourceWalletId: one, sourceCardId: cardId })).toEqual([]);
  expect(await found({ amountFrom: "500", amountTo: "700" })).toEqual(["between", "load"]);
  expect(await found({ amountFrom: "500", amountTo: "700", destinationId: cardId })).toEqual(["load"]);
  expect(await found({ externalId: "between" })).toEqual(["between"]);
  expect(await found({ externalId: "between", destinationId: cardId })).toEqual([]);
  expect(await found({ sourceWalletId: "wlt_00000000000000000000000000" })).toEqual([]);
});

test("a Wallet's transfers by amount and externalId", async () => {
  expect(await found({ amountFrom: "600" }, one)).toEqual(["load"]);
  expect(await found({ amountTo: "500" }, other)).toEqual(["unload", "between"]);
  expect(await found({ externalId: "between" }, other)).toEqual(["between"]);
  expect(await found({ externalId: "load" }, other)).toEqual([]);
});

test("one by its id, with its metadata; 404 for another Program's", async () => {
  const path = { transferId: made.between as string };
  const changed = await program.call("PUT /transfers/{transferId}", { path, body: { metadata: { a: "1" } } });
  expect(changed.body.data).toMatchObject({ transferId: made.between, metadata: { a: "1" } });
  expect((await program.call("GET /transfers/{transferId}", { path })).body).toEqual(changed.body);
  const stranger = await givenProgram();
  expect((await stranger.call("GET /transfers/{transferId}", { path })).status).toBe(404);
  // Both Wallets show a new externalId.
  await program.call("PUT /transfers/{transferId}", { path, body: { externalId: "moved" } });
  expect(await found({ externalId: "moved" }, one)).toEqual(["moved"]);
  expect(await found({}, other)).toEqual(["unload", "declined", "moved"]);
});

test("422: from more than to, empty, unknown, twice", async () => {
  const refused = async (query: object) => {
    const { status, body } = await program.call("GET /transfers", { query: query as never });
    return [status, body.errors?.[0].path];
  };
  expect(await refused({ amountFrom: "2", amountTo: "1" })).toEqual([422, "query.amountFrom"]);
  expect(await refused({ amountFrom: "" })).toEqual([422, "query.amountFrom"]);
  expect(await refused({ externalId: "" })).toEqual([422, "query.externalId"]);
  expect(await refused({ cardId })).toEqual([422, "query.cardId"]);
});
