import { beforeAll, describe, expect, test } from "vitest";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  givenWallet,
} from "../harness/given-cards.ts";
import { person } from "../harness/person.ts";
import { givenPurchase } from "./disputes/given-dispute.ts";

type Row = Readonly<Record<string, unknown>>;

let program: GivenProgram;
const ids = new Map<string, string>();

const people = [
  {
    key: "muller",
    firstName: "Jörg",
    lastName: "Müller",
    email: "Jorg.Muller@example.com",
    phone: "+4915112345678",
  },
  {
    key: "obrien",
    firstName: "Anne-Marie",
    lastName: "O’Brien",
    email: "anne@example.com",
    phone: "+353861234567",
  },
  {
    key: "strauss",
    firstName: "Søren",
    lastName: "Strauß",
    email: "soren@example.com",
    phone: "+4520123456",
  },
  { key: "one", lastName: "Þórður", email: "one@example.com", phone: "+3546112345" },
];

const found = async (route: string, query: Row, path?: Row): Promise<readonly Row[]> => {
  const { status, body } = await program.call(`GET ${route}` as never, { query, path } as never);
  expect([status, JSON.stringify(body.errors)]).toEqual([200, undefined]);
  expect((body as { total: number }).total).toBe(body.items.length);
  return body.items as readonly Row[];
};

beforeAll(async () => {
  program = await givenProgram();
  for (const { key, ...details } of people) {
    const { firstName: _, ...rest } = person;
    const body = { ...rest, ...details, externalId: key };
    ids.set(
      (await program.call("POST /cardholders", { body } as never)).body.data.cardholderId as string,
      key,
    );
  }
});

describe("GET /cardholders", () => {
  const keys = async (query: Row) =>
    (await found("/cardholders", { orderBy: "cardholderId", sort: "asc", ...query })).map((row) =>
      ids.get(String(row.cardholderId)),
    );

  test("by the beginning of a name, blind for case and accents", async () => {
    for (const [name, wanted] of [
      ["mull", "muller"],
      ["MÜL", "muller"],
      ["jorg mu", "muller"],
      ["obri", "obrien"],
      ["o'b", "obrien"],
      ["anne m", "obrien"],
      ["ANNE-MARIE OB", "obrien"],
      ["strauss", "strauss"],
      ["sore", "strauss"],
      ["thord", "one"],
    ])
      expect([name, await keys({ name })]).toEqual([name, [wanted]]);
    expect(await keys({ name: "rien" })).toEqual([]);
    expect(await keys({ name: "'" })).toEqual([]);
  });

  test("by email, phone, externalId; several must all hold", async () => {
    expect(await keys({ email: "JORG.muller@EXAMPLE.com" })).toEqual(["muller"]);
    expect(await keys({ email: "jorg.muller@example" })).toEqual([]);
    expect(await keys({ phone: "+353861234567" })).toEqual(["obrien"]);
    expect(await keys({ externalId: "strauss" })).toEqual(["strauss"]);
    expect(await keys({ externalId: "strauss", name: "mu" })).toEqual([]);
    expect(await keys({ name: "s", phone: "+4520123456", status: "4" })).toEqual(["strauss"]);
  });

  test("a deleted one and the one that has its externalId now are both found", async () => {
    const body = { ...person, externalId: "reused" };
    const one = (await program.call("POST /cardholders", { body } as never)).body.data.cardholderId as string;
    await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId: one } });
    const other = (await program.call("POST /cardholders", { body } as never)).body.data.cardholderId;
    const rows = await found("/cardholders", { externalId: "reused" });
    expect(rows.map(({ cardholderId }) => cardholderId).toSorted()).toEqual([one, other].toSorted());
  });
});

describe("GET /cards", () => {
  test("by lastFour, cardForm and the Cardholder's name", async () => {
    const cardholderId = await givenApprovedCardholder(program);
    const card = await givenCard(program, { cardholderId, externalId: "card-1" });
    const { cardId, cardHolderLastName } = card as Row;
    const lastFour = String(card.maskedCardNumber).slice(-4);
    const name = String(cardHolderLastName).slice(0, 3).toUpperCase();
    const cardIds = async (query: Row) => (await found("/cards", query)).map((row) => row.cardId);
    expect(await cardIds({ lastFour, cardForm: "0", name, externalId: "card-1" })).toEqual([cardId]);
    expect(await cardIds({ lastFour })).toContain(cardId);
    expect(await cardIds({ name })).toContain(cardId);
    expect(await cardIds({ cardForm: "1" })).toEqual([]);
    expect(await cardIds({ name: "zzz" })).toEqual([]);
    expect(await cardIds({ lastFour: lastFour === "0000" ? "0001" : "0000" })).toEqual([]);
  });
});

test("GET /wallets/search: by name and externalId", async () => {
  const make = async (name: string, externalId: string) =>
    (await program.call("POST /wallets", { body: { name, externalId } } as never)).body.data.walletId;
  const travel = await make("Größe – Reisen", "w-1");
  await make("Payroll", "w-2");
  const walletIds = async (query: Row) => (await found("/wallets/search", query)).map((row) => row.walletId);
  expect(await walletIds({ name: "grosse rei" })).toEqual([travel]);
  expect(await walletIds({ externalId: "w-1" })).toEqual([travel]);
  expect(await walletIds({ externalId: "w-2", name: "g" })).toEqual([]);
});

test("GET /controls: by name and externalId", async () => {
  const body = { name: "Ohne Bargeld", cash: "block", state: "draft", externalId: "k-1" };
  const { controlId } = (await program.call("POST /controls", { body } as never)).body.data;
  const controlIds = async (query: Row) => (await found("/controls", query)).map((row) => row.controlId);
  expect(await controlIds({ name: "OHNE" })).toEqual([controlId]);
  expect(await controlIds({ externalId: "k-1" })).toEqual([controlId]);
  expect(await controlIds({ externalId: "k-1", name: "mit" })).toEqual([]);
});

test("GET /deposits: by amount, and by an externalId that several may have", async () => {
  const walletId = await givenWallet(program, 0);
  for (const amount of [100, 200, 300])
    await program.call("POST /wallets/{walletId}/bank-deposit", {
      path: { walletId },
      body: { amount, externalId: amount === 300 ? "other" : "same" },
    });
  const amounts = async (query: Row) =>
    (await found("/deposits", { orderBy: "amount", sort: "asc", ...query })).map((row) => row.amount);
  expect(await amounts({ externalId: "same" })).toEqual([100, 200]);
  expect(await amounts({ externalId: "same", amountFrom: "150" })).toEqual([200]);
  expect(await amounts({ walletId, amountFrom: "200", amountTo: "300" })).toEqual([200, 300]);
  expect(await amounts({ externalId: "same", walletId: await givenWallet(program, 0) })).toEqual([]);
});

test("transactions, fees and disputes: by amount, merchant and reference; then without the aggregate line", async () => {
  const purchase = await givenPurchase();
  const { cardId, onCard, create } = purchase;
  const own = purchase.program;
  const list = async (route: string, query: Row) => {
    const { status, body } = await own.call(`GET ${route}` as never, { query } as never);
    expect(status).toBe(200);
    return body.items as readonly Row[];
  };
  await onCard("authorizations", { amount: 400, merchantName: "Café Zürich" });
  const merchant = { merchantName: "Café Zürich", merchantId: "M-77", mcc: "5812" };
  await onCard("force-post", { amount: 700, ...merchant });
  for (const scope of [{}, { cardId }]) {
    const amounts = async (query: Row) =>
      (await list("/cards/transactions", { orderBy: "amount", sort: "asc", ...scope, ...query })).map(
        (row) => row.amount,
      );
    expect(await amounts({})).toEqual([400, 700, 3000, 10000]);
    expect(await amounts({ amountFrom: "700", amountTo: "3000" })).toEqual([700, 3000]);
    expect(await amounts({ orderBy: "transDate", amountTo: "3000" })).toEqual([3000, 700]);
    expect(await amounts({ merchant: "cafe z" })).toEqual([700]);
    expect(await amounts({ merchant: "cafe z", amountFrom: "701" })).toEqual([]);
    expect(await amounts({ merchantId: "M-77" })).toEqual([700]);
    expect(await amounts({ mcc: "5812" })).toEqual([700]);
    expect(await amounts({ referenceCode: purchase.transId })).toEqual([3000]);
    expect(await amounts({ limit: "1", offset: "1", amountTo: "3000" })).toEqual([3000]);
  }
  const { disputeId } = (await create({ amount: 50, externalId: "d-1" })).body.data as Row;
  const disputeIds = async (query: Row) => (await list("/disputes", query)).map((row) => row.disputeId);
  expect(await disputeIds({ amountFrom: "50", amountTo: "50" })).toEqual([disputeId]);
  expect(await disputeIds({ referenceCode: purchase.transId })).toEqual([disputeId]);
  expect(await disputeIds({ externalId: "d-1", cardId })).toEqual([disputeId]);
  expect(await disputeIds({ externalId: "d-1", amountFrom: "51" })).toEqual([]);
  expect(await list("/cards/fees", { amountFrom: "1", amountTo: "1" })).toEqual([]);
});

test("422: the parameters that a list has are named, and a wrong one is no list of everything", async () => {
  const refused = async (route: string, query: Row) => {
    const { status, body } = await program.call(`GET ${route}` as never, { query } as never);
    return [status, body.errors?.[0].path, body.errors?.[0].message];
  };
  const [status, path, message] = await refused("/cardholders", { emial: "a@example.com" });
  expect([status, path]).toEqual([422, "query.emial"]);
  for (const name of ["email", "phone", "name", "externalId", "limit"]) expect(message).toContain(name);
  expect((await refused("/wallets", { name: "x" })).slice(0, 2)).toEqual([422, "query.name"]);
  expect((await refused("/cardholders", { name: "" })).slice(0, 2)).toEqual([422, "query.name"]);
  const backwards = { amountFrom: "2", amountTo: "1" };
  for (const route of ["/cards/transactions", "/cards/fees", "/deposits", "/disputes", "/transfers"])
    expect((await refused(route, backwards)).slice(0, 2)).toEqual([422, "query.amountFrom"]);
});
