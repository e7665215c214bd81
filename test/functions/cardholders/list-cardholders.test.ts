import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { givenCardholder, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { expectOnly, expectOrder, type List, ordered, type Row } from "../../harness/list-pages.ts";

const program = await givenProgram();
const lastNames = ["Lovelace", "Hopper", "Lovelace", "Curie", "Hopper", "Noether", "Curie", "Lovelace"];
const rows: Row[] = [];
for (const [status, lastName] of lastNames.entries()) {
  const firstName = `A${status}`;
  const cardholderId = await givenCardholder(program, { firstName, lastName });
  const dateCreated = `2026-03-01T10:00:0${status % 4}.000Z`;
  await overwrite(cardholders.key(program.programId, cardholderId), { status, createdAt: dateCreated });
  rows.push({ cardholderId, status, firstName, lastName, dateCreated });
}
const list: List = {
  page: async (query = {}) => (await program.call("GET /cardholders", { query })).body,
  ...{ rows, id: "cardholderId", newestBy: "dateCreated" },
};

describe("GET /cardholders", () => {
  test("200: the envelope, newest first, with the defaults of limit and offset", async () => {
    const items = ordered(list, "dateCreated").map((id) => rows.find((row) => row.cardholderId === id));
    expect(await list.page()).toEqual({ status: "success", items, total: 8, limit: 50, offset: 0 });
  });

  test.each(["cardholderId", "status", "lastName", "dateCreated"])(
    "200: pages by %s are the whole list",
    (orderBy) => expectOrder(list, orderBy),
  );

  test("200: by status, deleted ones included, and by time, which excludes its own second", async () => {
    for (const { status } of rows)
      await expectOnly(list, { status: String(status) }, (row) => row.status === status);
    const second = Date.UTC(2026, 2, 1, 10, 0, 2) / 1000;
    const at = (row: Row) => Date.parse(row.dateCreated) / 1000;
    await expectOnly(list, { before: String(second) }, (row) => at(row) < second);
    await expectOnly(list, { after: String(second), status: "3" }, ({ status }) => status === 3);
    await expectOnly(list, { after: String(second), before: String(second) }, () => false);
  });

  test("200: a new Cardholder is in the list, a changed one as it is now", async () => {
    const own = await givenProgram();
    const path = { cardholderId: await givenCardholder(own) };
    await own.call("PUT /cardholders/{cardholderId}", { path, body: { lastName: "King" } });
    await own.call("DELETE /cardholders/{cardholderId}", { path });
    const { body } = await own.call("GET /cardholders");
    expect(body.items).toMatchObject([{ ...path, lastName: "King", status: 5 }]);
  });
});
