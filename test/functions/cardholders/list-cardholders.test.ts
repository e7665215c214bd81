import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { givenCardholder, givenProgram, overwrite } from "../../harness/given-cards.ts";

interface Item {
  readonly cardholderId: string;
  readonly status: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly dateCreated: string;
}

const program = await givenProgram();
const lastNames = ["Lovelace", "Hopper", "Lovelace", "Curie", "Hopper", "Noether", "Curie", "Lovelace"];
const items: Item[] = [];
for (const [index, lastName] of lastNames.entries()) {
  const cardholderId = await givenCardholder(program, { firstName: `A${index}`, lastName });
  const dateCreated = `2026-03-01T10:00:0${index % 4}.000Z`;
  const attributes = { status: index, createdAt: dateCreated };
  await overwrite(cardholders.key(program.programId, cardholderId), attributes);
  items.push({ cardholderId, status: index, firstName: `A${index}`, lastName, dateCreated });
}

const list = (query: Record<string, string> = {}) => program.call("GET /cardholders", { query });

function ordered(by: keyof Item, sort: "asc" | "desc", of: Item[] = items): Item[] {
  const ascending = of.toSorted((left, right) => {
    if (left[by] !== right[by]) return left[by] < right[by] ? -1 : 1;
    return left.cardholderId < right.cardholderId ? -1 : 1;
  });
  return sort === "asc" ? ascending : ascending.toReversed();
}

describe("GET /cardholders", () => {
  test("200: the envelope, newest first, with the defaults of limit and offset", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "success",
      items: ordered("dateCreated", "desc"),
      total: 8,
      limit: 50,
      offset: 0,
    });
  });

  for (const orderBy of ["cardholderId", "status", "lastName", "dateCreated"] as const) {
    for (const sort of ["asc", "desc"] as const) {
      test(`200: pages of three by ${orderBy} ${sort} are the whole list`, async () => {
        const collected: Item[] = [];
        for (const offset of ["0", "3", "6", "9"]) {
          const { body } = await list({ orderBy, sort, limit: "3", offset });
          expect(body).toMatchObject({ total: 8, limit: 3, offset: Number(offset) });
          collected.push(...body.items);
        }
        expect(collected).toEqual(ordered(orderBy, sort));
      });
    }
  }

  test("200: by status, deleted ones included", async () => {
    for (const item of items) {
      const { body } = await list({ status: String(item.status) });
      expect(body).toMatchObject({ items: [item], total: 1 });
    }
  });

  test("200: before and after, which exclude their own second", async () => {
    const second = Date.UTC(2026, 2, 1, 10, 0, 2) / 1000;
    const at = ({ dateCreated }: Item) => Date.parse(dateCreated) / 1000;
    const before = await list({ before: String(second) });
    const expectedBefore = items.filter((item) => at(item) < second);
    expect(before.body.items).toEqual(ordered("dateCreated", "desc", expectedBefore));
    const after = await list({ after: String(second), status: "3" });
    expect(after.body).toMatchObject({ items: [items[3]], total: 1 });
    expect((await list({ after: String(second), before: String(second) })).body.total).toBe(0);
  });

  test("200: a new Cardholder is in the list, a changed one as it is now", async () => {
    const own = await givenProgram();
    const cardholderId = await givenCardholder(own);
    await own.call("PUT /cardholders/{cardholderId}", { path: { cardholderId }, body: { lastName: "King" } });
    await own.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
    const { body } = await own.call("GET /cardholders");
    expect(body.items).toMatchObject([{ cardholderId, lastName: "King", status: 5 }]);
  });

  test("422: every parameter out of its range or form, each named", async () => {
    const wrong = {
      status: "8",
      orderBy: "email",
      sort: "up",
      before: "yesterday",
      after: "-1",
      limit: "201",
      offset: "-1",
    };
    const { status, body } = await list(wrong);
    expect([status, body.code]).toEqual([422, "VALIDATION_FAILED"]);
    const paths = body.errors.map(({ path }: { path: string }) => path).toSorted();
    expect(paths).toEqual(
      Object.keys(wrong)
        .map((name) => `query.${name}`)
        .toSorted(),
    );
    for (const [name, value] of [
      ["limit", "0"],
      ["limit", "1.5"],
      ["offset", "x"],
      ["status", ""],
    ] as const) {
      expect((await list({ [name]: value })).status).toBe(422);
    }
  });

  test("422: a misspelt filter does not answer every Cardholder", async () => {
    const { status, body } = await list({ Status: "4" });
    expect([status, body.items]).toEqual([422, undefined]);
    expect(body.errors).toEqual([expect.objectContaining({ path: "query.Status" })]);
  });
});
