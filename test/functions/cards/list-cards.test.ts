import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { givenApprovedCardholder, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";

interface Item {
  readonly cardId: string;
  readonly cardholderId: string;
  readonly cardHolderLastName: string;
  readonly status: number;
  readonly blocked: boolean;
  readonly cardForm: number;
  readonly maskedCardNumber: string;
  readonly createdDatetime: string;
}

const program = await givenProgram();
const holders = [
  { lastName: "Lovelace", cardholderId: await givenApprovedCardholder(program) },
  { lastName: "Curie", cardholderId: await givenApprovedCardholder(program, { lastName: "Curie" }) },
  { lastName: "Lovelace", cardholderId: await givenApprovedCardholder(program) },
];
const items: Item[] = [];
for (let index = 0; index < 9; index += 1) {
  const { lastName, cardholderId } = holders[index % 3] ?? { lastName: "", cardholderId: "" };
  const { cardId, maskedCardNumber } = await givenCard(program, { cardholderId });
  const createdDatetime = `2026-03-01T10:00:0${index % 4}.000Z`;
  const status = index % 5;
  await overwrite(cards.key(program.programId, cardId), {
    createdAt: createdDatetime,
    issuerCardStatus: status,
    ...(index === 4 && { blockedAt: createdDatetime }),
  });
  items.push({
    cardId,
    cardholderId,
    cardHolderLastName: lastName,
    status,
    blocked: index === 4,
    cardForm: 0,
    maskedCardNumber: String(maskedCardNumber),
    createdDatetime,
  });
}

const list = (query: Record<string, string> = {}) => program.call("GET /cards", { query });

function ordered(by: Exclude<keyof Item, "blocked">, sort: "asc" | "desc", of: Item[] = items): Item[] {
  const ascending = of.toSorted((left, right) => {
    if (left[by] !== right[by]) return left[by] < right[by] ? -1 : 1;
    return left.cardId < right.cardId ? -1 : 1;
  });
  return sort === "asc" ? ascending : ascending.toReversed();
}

/** The field that each `orderBy` sorts by: the operational status is `status`. */
const fieldOf = {
  cardId: "cardId",
  issuerCardStatus: "status",
  cardholderId: "cardholderId",
  cardHolderLastName: "cardHolderLastName",
  createdDatetime: "createdDatetime",
} as const;

describe("GET /cards", () => {
  test("200: the envelope, newest first, with the defaults of limit and offset", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "success",
      items: ordered("createdDatetime", "desc"),
      total: 9,
      limit: 50,
      offset: 0,
    });
  });

  for (const [orderBy, field] of Object.entries(fieldOf)) {
    for (const sort of ["asc", "desc"] as const) {
      test(`200: pages of four by ${orderBy} ${sort} are the whole list`, async () => {
        const collected: Item[] = [];
        for (const offset of ["0", "4", "8", "12"]) {
          const { body } = await list({ orderBy, sort, limit: "4", offset });
          expect(body).toMatchObject({ total: 9, limit: 4, offset: Number(offset) });
          collected.push(...body.items);
        }
        expect(collected).toEqual(ordered(field, sort));
      });
    }
  }

  test("200: names are in a person's order; who has one name alone is in it by that", async () => {
    const own = await givenProgram();
    const names = [{ lastName: "Zimmer" }, { lastName: "de Vries" }, { lastName: "Öztürk" }];
    for (const name of [...names, { lastName: "De Vries" }, { firstName: "Énée", lastName: undefined }])
      await givenCard(own, { cardholderId: await givenApprovedCardholder(own, name) });
    const listed = async (query: Record<string, string>) => {
      const { body } = await own.call("GET /cards", { query });
      return body.items.map(({ cardHolderLastName }: Item) => cardHolderLastName);
    };
    expect(await listed({ orderBy: "cardHolderLastName", sort: "asc" })).toEqual([
      ...["De Vries", "de Vries", "Énée", "Öztürk", "Zimmer"],
    ]);
  });

  test("200: by the caller's own identifier, with the others", async () => {
    const own = await givenProgram();
    const first = await givenCard(own, { externalId: "order-1" });
    await givenCard(own, { externalId: "order-2" });
    await givenCard(own);
    const { cardId, cardholderId } = first as { cardId: string; cardholderId: string };
    const found = async (query: Record<string, string>) => {
      const { body } = await own.call("GET /cards", { query });
      return body.items.map((item: Item & { externalId: string }) => [item.cardId, item.externalId]);
    };
    expect(await found({ externalId: "order-1" })).toEqual([[cardId, "order-1"]]);
    expect(await found({ externalId: "order-1", cardholderId })).toHaveLength(1);
    expect(await found({ externalId: "order-2", cardholderId })).toHaveLength(0);
    expect(await found({ externalId: "order-1", issuerCardStatus: "3" })).toHaveLength(0);
    expect(await found({ externalId: cardholderId })).toHaveLength(0);
  });

  test("200: by status, by Cardholder, by both", async () => {
    for (const status of [0, 1, 2, 3, 4]) {
      const matching = items.filter((item) => item.status === status);
      const { body } = await list({ issuerCardStatus: String(status) });
      expect(body).toMatchObject({
        items: ordered("createdDatetime", "desc", matching),
        total: matching.length,
      });
    }
    for (const { cardholderId } of holders) {
      const matching = items.filter((item) => item.cardholderId === cardholderId);
      const { body } = await list({ cardholderId });
      expect(body).toMatchObject({ items: ordered("createdDatetime", "desc", matching), total: 3 });
      const [one] = matching;
      const both = await list({ cardholderId, issuerCardStatus: String(one?.status) });
      expect(both.body.items).toEqual(matching.filter(({ status }) => status === one?.status));
    }
    expect((await list({ cardholderId: "chd_unknown" })).body).toMatchObject({ items: [], total: 0 });
  });

  test("200: before and after, which exclude their own second", async () => {
    const second = Date.UTC(2026, 2, 1, 10, 0, 1) / 1000;
    const between = { after: String(second), before: String(second + 2) };
    const matching = items.filter(({ createdDatetime }) => Date.parse(createdDatetime) / 1000 === second + 1);
    expect((await list(between)).body).toMatchObject({
      items: ordered("createdDatetime", "desc", matching),
      total: matching.length,
    });
  });

  test("422: every parameter out of its range or form, each named", async () => {
    const wrong = { issuerCardStatus: "5", orderBy: "nameOnCard", sort: "", limit: "0", offset: "1.5" };
    const { status, body } = await list(wrong);
    expect(status).toBe(422);
    const paths = body.errors.map(({ path }: { path: string }) => path).toSorted();
    expect(paths).toEqual(
      Object.keys(wrong)
        .map((name) => `query.${name}`)
        .toSorted(),
    );
  });
});
