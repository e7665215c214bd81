import { beforeAll, describe, expect, test } from "vitest";
import { givenApprovedCardholder, givenCard, givenProgram, givenWallet } from "../harness/given-cards.ts";
import { person } from "../harness/person.ts";
import { givenPurchase } from "./disputes/given-dispute.ts";

type Program = Awaited<ReturnType<typeof givenProgram>>;
// biome-ignore lint/suspicious/noExplicitAny: answers of every kind
type Answer = { readonly status: number; readonly body: any };

/** How a record of each kind is made, changed and seen. */
interface Kind {
  readonly id: string;
  readonly create: (labels: object, headers?: Record<string, string>) => Promise<Answer>;
  readonly update: (id: string, labels: object) => Promise<Answer>;
  readonly view: (id: string) => Promise<Answer>;
  readonly list: () => Promise<Answer>;
}

let program: Program;
let walletId: string;
let cardId: string;
const kinds: Record<string, Kind> = {};

interface Made {
  readonly route?: string;
  readonly path?: object;
  readonly body: object;
}

/** By its collection's endpoints; what a change of one has to name beside its labels. */
function kindOf(of: Program, collection: `/${string}`, id: string, made: Made, unchanged: object = {}): Kind {
  const call = (route: string, options: object): Promise<Answer> => of.call(route as never, options as never);
  const one = `${collection}/{${id}}`;
  const { route = `POST ${collection}`, path, body } = made;
  return {
    id,
    create: (labels, headers) => call(route, { path, headers, body: { ...body, ...labels } }),
    update: (value, labels) =>
      call(`PUT ${one}`, { path: { [id]: value }, body: { ...unchanged, ...labels } }),
    view: (value) => call(`GET ${one}`, { path: { [id]: value } }),
    list: () => call(`GET ${collection}`, {}),
  };
}

beforeAll(async () => {
  program = await givenProgram();
  walletId = await givenWallet(program, 1_000_000);
  const cardholderId = await givenApprovedCardholder(program);
  cardId = (await givenCard(program)).cardId as string;
  const load = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId };
  await program.call("POST /wallets/transfer", { body: { ...load, amount: 100_000 } });
  kinds.cardholder = kindOf(program, "/cardholders", "cardholderId", { body: person });
  kinds.card = kindOf(program, "/cards", "cardId", { body: { cardholderId, cardForm: 0, cardType: 0 } });
  kinds.wallet = kindOf(program, "/wallets", "walletId", { body: { name: "Travel" } });
  const loading = { route: "POST /wallets/transfer", body: { ...load, amount: 10 } };
  kinds.transfer = kindOf(program, "/transfers", "transferId", loading);
  const unloading = {
    route: "POST /cards/{cardId}/unload",
    path: { cardId },
    body: { walletId, amount: 10 },
  };
  kinds.unload = kindOf(program, "/transfers", "transferId", unloading);
  const rule = { name: "No cash", cash: "block" } as const;
  kinds.control = kindOf(program, "/controls", "controlId", { body: { ...rule, state: "draft" } }, rule);
  const { program: other, transId: referenceCode } = await givenPurchase();
  const dispute = { body: { referenceCode, reason: "other", amount: 10 } };
  kinds.dispute = kindOf(other, "/disputes", "disputeId", dispute);
});

/** Those that are changed and seen too. */
const names = ["cardholder", "card", "wallet", "transfer", "unload", "control", "dispute"] as const;
let count = 0;
const newName = () => `name ${++count}`;

describe.each(names)("a %s's externalId", (name) => {
  const kind = () => kinds[name] as Kind;
  const create = async (labels: object) => {
    const { status, body } = await kind().create(labels);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.data[kind().id] as string;
  };

  test("is unique: 409 with the other's id, at the top of the error", async () => {
    const externalId = newName();
    const id = await create({ externalId });
    const { status, body } = await kind().create({ externalId });
    expect([status, body.code, body.existingId]).toEqual([409, "EXTERNAL_ID_EXISTS", id]);
    // Byte for byte.
    await create({ externalId: externalId.toUpperCase() });
    await create({ externalId: `${externalId} ` });
  });

  test("both at once: one wins, and the others get its id", async () => {
    const externalId = newName();
    const answers = await Promise.all(Array.from({ length: 5 }, () => kind().create({ externalId })));
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.existingId);
    expect(others).toEqual(Array(4).fill(won?.body.data[kind().id]));
  });

  test("an Idempotency-Key that repeats gets its first answer", async () => {
    const labels = { externalId: newName(), metadata: { a: "1" } };
    const headers = { "Idempotency-Key": newName() };
    const first = await kind().create(labels, headers);
    expect(first.body.data).toMatchObject(labels);
    expect((await kind().create(labels, headers)).body).toEqual(first.body);
    expect((await kind().create(labels, { "Idempotency-Key": newName() })).status).toBe(409);
  });

  test("changed, it frees the old one; null removes it", async () => {
    const [one, other] = [newName(), newName()];
    const id = await create({ externalId: one });
    const taken = await create({ externalId: other });
    const refused = await kind().update(id, { externalId: other, metadata: { a: "1" } });
    expect([refused.status, refused.body.existingId]).toEqual([409, taken]);
    expect((await kind().view(id)).body.data).toMatchObject({ externalId: one });
    expect((await kind().view(id)).body.data.metadata).toBeUndefined();
    const third = newName();
    expect((await kind().update(id, { externalId: third })).body.data.externalId).toBe(third);
    expect((await kind().update(id, { externalId: third })).status).toBe(200);
    const next = await create({ externalId: one });
    expect((await kind().update(id, { externalId: null })).body.data.externalId).toBeUndefined();
    expect((await kind().update(next, { externalId: third })).status).toBe(200);
  });
});

describe.each(names)("a %s's metadata", (name) => {
  const kind = () => kinds[name] as Kind;
  const create = async (labels: object) => (await kind().create(labels)).body.data[kind().id] as string;

  test("merges; null removes a key, or all", async () => {
    const id = await create({ metadata: { a: "1", "b.c-d_e": "2" } });
    const shown = async () => (await kind().view(id)).body.data.metadata;
    expect(await shown()).toEqual({ a: "1", "b.c-d_e": "2" });
    const changed = await kind().update(id, { metadata: { a: null, f: "3" } });
    expect(changed.body.data.metadata).toEqual({ "b.c-d_e": "2", f: "3" });
    expect(await shown()).toEqual({ "b.c-d_e": "2", f: "3" });
    expect((await kind().update(id, { metadata: null })).body.data.metadata).toBeUndefined();
    expect(await shown()).toBeUndefined();
    await kind().update(id, { metadata: { g: "4" } });
    expect(await shown()).toEqual({ g: "4" });
    await kind().update(id, { metadata: {} });
    expect(await shown()).toEqual({ g: "4" });
  });

  test("concurrent changes of different keys keep all", async () => {
    const id = await create({});
    const keys = ["a", "b", "c", "d"];
    const answers = await Promise.all(keys.map((key) => kind().update(id, { metadata: { [key]: key } })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await kind().view(id)).body.data.metadata).toEqual({ a: "a", b: "b", c: "c", d: "d" });
  });

  test("a wrong one is named by its key", async () => {
    const wrong = async (metadata: unknown, update?: string) => {
      const { status, body } = await (update
        ? kind().update(update, { metadata })
        : kind().create({ metadata }));
      return [status, body.errors?.[0].path];
    };
    expect(await wrong({ "a b": "1" })).toEqual([422, "body.metadata.a b"]);
    expect(await wrong({ ["x".repeat(41)]: "1" })).toEqual([422, `body.metadata.${"x".repeat(41)}`]);
    expect(await wrong({ "": "1" })).toEqual([422, "body.metadata."]);
    expect(await wrong({ a: "" })).toEqual([422, "body.metadata.a"]);
    expect(await wrong({ a: "x".repeat(501) })).toEqual([422, "body.metadata.a"]);
    expect(await wrong({ a: 1 })).toEqual([400, "body.metadata.a"]);
    expect(await wrong(["a"])).toEqual([400, "body.metadata"]);
    const many = (count: number, length = 1) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "x".repeat(length)]));
    expect(await wrong(many(21))).toEqual([422, "body.metadata"]);
    expect(await wrong(many(20, 420))).toEqual([422, "body.metadata"]);
    const id = await create({ metadata: many(20) });
    expect(await wrong({ one: "more" }, id)).toEqual([422, "body.metadata"]);
    expect((await kind().update(id, { metadata: { one: "more", k0: null } })).status).toBe(200);
  });

  test("is in the view, and in no item of its list", async () => {
    const id = await create({ metadata: { a: "only in the view" } });
    expect((await kind().view(id)).body.data.metadata).toEqual({ a: "only in the view" });
    const { status, body } = await kind().list();
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining(id)]);
    expect(JSON.stringify(body)).not.toMatch(/metadata|only in the view/i);
  });

  test("__proto__ is refused, not lost", async () => {
    const metadata = JSON.parse('{"__proto__": "1"}');
    expect((await kind().create({ metadata })).status).toBe(422);
  });
});

describe("a transfer's externalId", () => {
  const transfer = (body: object) => (kinds.transfer as Kind).create(body);
  const unload = (body: object) => (kinds.unload as Kind).create(body);
  const balance = async () =>
    (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;

  test("is unique among transfers and unloads, and nothing is moved by a second one", async () => {
    const externalId = newName();
    const first = await transfer({ externalId, metadata: { a: "1" } });
    expect(first.body.data).toMatchObject({ externalId, metadata: { a: "1" } });
    const before = await balance();
    for (const second of [await transfer({ externalId }), await unload({ externalId })]) {
      expect([second.status, second.body.code]).toEqual([409, "EXTERNAL_ID_EXISTS"]);
      expect(second.body.existingId).toBe(first.body.data.transferId);
    }
    expect(await balance()).toBe(before);
  });

  test("a declined one keeps its own", async () => {
    const externalId = newName();
    const declined = await transfer({ externalId, amount: 99_999_999 });
    expect(declined.body.data.transStatus).toBe(2);
    const second = await transfer({ externalId });
    expect([second.status, second.body.existingId]).toEqual([409, declined.body.data.transferId]);
    expect((await unload({ externalId: newName(), amount: 99_999_999 })).status).toBe(200);
  });
});

test("a dispute keeps its labels in every status, and a change of it can set them", async () => {
  const { program: other, create, cardId: ofCard } = await givenPurchase();
  const { disputeId } = (await create({ amount: 100 })).body.data as { disputeId: string };
  const path = { disputeId };
  const put = async (body: object): Promise<Answer> =>
    other.call("PUT /disputes/{disputeId}", { path, body });
  expect((await put({ amount: 200, externalId: "d-1", metadata: { a: "1" } })).body.data).toMatchObject({
    ...{ amount: 200, externalId: "d-1", metadata: { a: "1" } },
  });
  const second = (await create({ amount: 100 })).body.data as { disputeId: string };
  const taken = await other.call("PUT /disputes/{disputeId}", {
    path: { disputeId: second.disputeId },
    body: { amount: 150, externalId: "d-1" },
  });
  expect([taken.status, taken.body.existingId]).toEqual([409, disputeId]);
  const same = await other.call("GET /disputes/{disputeId}", { path: { disputeId: second.disputeId } });
  expect(same.body.data).toMatchObject({ amount: 100 });
  await other.call("POST /disputes/{disputeId}/submit", { path });
  expect((await put({ amount: 300 })).status).toBe(409);
  expect((await put({ metadata: { b: "2" }, externalId: "d-2" })).body.data).toMatchObject({
    ...{ status: "submitted", externalId: "d-2", metadata: { a: "1", b: "2" } },
  });
  const { body } = await other.call("GET /disputes", { query: { cardId: ofCard } });
  expect(body.items.map((one: { externalId?: string }) => one.externalId)).toContain("d-2");
  expect(JSON.stringify(body)).not.toContain("metadata");
});

test("a closed Card keeps its externalId and its metadata, which can be changed", async () => {
  const kind = kinds.card as Kind;
  const externalId = newName();
  const { cardId: closing } = (await kind.create({ externalId, metadata: { a: "1" } })).body.data;
  await program.call("POST /cards/{cardId}/close", { path: { cardId: closing }, body: {} });
  expect((await kind.view(closing)).body.data).toMatchObject({
    ...{ issuerCardStatus: 3, externalId, metadata: { a: "1" } },
  });
  const second = await kind.create({ externalId });
  expect([second.status, second.body.existingId]).toEqual([409, closing]);
  expect((await kind.update(closing, { metadata: { b: "2" } })).body.data.metadata).toEqual({
    a: "1",
    b: "2",
  });
  expect((await program.call("GET /cards", { query: { externalId } })).body.items).toMatchObject([
    { cardId: closing },
  ]);
});

test("a Cardholder whose fields are locked takes both", async () => {
  const kind = kinds.cardholder as Kind;
  const cardholderId = await givenApprovedCardholder(program);
  const labels = { externalId: newName(), metadata: { tier: "gold" } };
  const { status, body } = await kind.update(cardholderId, labels);
  expect([status, body.data]).toEqual([200, expect.objectContaining({ ...labels, status: 1 })]);
  const locked = await kind.update(cardholderId, { lastName: "Byron", metadata: { tier: "none" } });
  expect([locked.status, locked.body.code]).toEqual([409, "LOCKED_FIELDS"]);
  expect((await kind.view(cardholderId)).body.data.metadata).toEqual({ tier: "gold" });
});

test("a deleted control's externalId is free at once", async () => {
  const kind = kinds.control as Kind;
  const labels = { externalId: newName(), metadata: { a: "1" } };
  const { controlId } = (await kind.create(labels)).body.data;
  await program.call("DELETE /controls/{controlId}", { path: { controlId } });
  const query = { externalId: labels.externalId };
  // It is gone, as GET says: no list and no filter has it.
  expect((await program.call("GET /controls", { query })).body).toMatchObject({ items: [], total: 0 });
  const made = await kind.create(labels);
  expect(made.status).toBe(200);
  expect((await program.call("GET /controls", { query })).body.items).toMatchObject([
    { controlId: made.body.data.controlId },
  ]);
});

test("a deleted Cardholder's externalId is free at once; the filter of GET finds both", async () => {
  const kind = kinds.cardholder as Kind;
  const externalId = newName();
  const { body } = await kind.create({ externalId, metadata: { a: "1" } });
  const { cardholderId } = body.data;
  const deleted = await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
  expect(deleted.body.data).toMatchObject({ externalId, metadata: { a: "1" } });
  expect((await kind.view(cardholderId)).body.data.externalId).toBe(externalId);
  const made = await kind.create({ externalId });
  expect([made.status, (await kind.create({ externalId })).status]).toEqual([200, 409]);
  const query = { externalId, orderBy: "cardholderId", sort: "asc" };
  const { items } = (await program.call("GET /cardholders", { query })).body;
  expect(items).toMatchObject([{ cardholderId }, { cardholderId: made.body.data.cardholderId }]);
});
