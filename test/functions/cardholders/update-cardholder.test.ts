import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import {
  ada,
  givenApprovedCardholder,
  givenCardholder,
  givenCardholderInStatus,
  givenProgram,
} from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";

const program = await givenProgram();
const update = (cardholderId: string, body: unknown) =>
  program.call("PUT /cardholders/{cardholderId}", { path: { cardholderId }, body });
const stored = (cardholderId: string) => storedItem(cardholders.key(program.programId, cardholderId));

const lockedChanges = {
  firstName: "Augusta",
  lastName: "King",
  dateOfBirth: "1990-12-11",
  gender: 2,
  nationality: "FR",
  altKycEnabled: 1,
  address: { ...ada.address, country: "FR" },
};
const openChanges = {
  email: "countess@example.com",
  phone: "+33142685300",
  externalId: "customer-2",
  address: { line1: "1 Ockham Park", city: "Ockham", postalCode: "GU23 6NQ", country: "GB" },
};

describe("PUT /cardholders/{cardholderId}", () => {
  test("200: changes the given fields only, and answers the stored record", async () => {
    const cardholderId = await givenCardholder(program);
    const { status, body } = await update(cardholderId, { lastName: "King", email: "ada@king.example" });
    expect(status).toBe(200);
    expect(body.data.contact).toEqual({ ...ada, lastName: "King", email: "ada@king.example" });
    const viewed = await program.call("GET /cardholders/{cardholderId}", { path: { cardholderId } });
    expect(viewed.body.data).toEqual(body.data);
  });

  test("200: replaces the address whole", async () => {
    const cardholderId = await givenCardholder(program, { address: { ...ada.address, line2: "Flat 3" } });
    const { body } = await update(cardholderId, { address: openChanges.address });
    expect(body.data.contact.address).toEqual(openChanges.address);
  });

  test("200: null removes what was given, and what was not given stays away", async () => {
    const cardholderId = await givenCardholder(program, { externalId: "customer-1" });
    const removed = { nationality: null, externalId: null, firstName: null };
    for (const body of [removed, removed, {}]) {
      const answer = await update(cardholderId, body);
      expect(answer.status).toBe(200);
      expect(answer.body.data.contact).toEqual({ ...ada, nationality: undefined, firstName: undefined });
      expect(answer.body.data).not.toHaveProperty("externalId");
    }
  });

  test("422: the only name stays; it can move to the other field", async () => {
    const cardholderId = await givenCardholder(program);
    const refused = async (body: object, path: string) => {
      const answer = await update(cardholderId, body);
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, path]);
    };
    await refused({ firstName: null, lastName: null }, "body");
    expect((await update(cardholderId, { lastName: null })).status).toBe(200);
    await refused({ firstName: null }, "body.firstName");
    expect((await update(cardholderId, { firstName: null, lastName: "Ada" })).status).toBe(200);
    await refused({ lastName: null }, "body.lastName");
    const { body } = await update(cardholderId, { email: "ada@example.com" });
    expect([body.data.contact.firstName, body.data.contact.lastName]).toEqual([undefined, "Ada"]);
  });

  test("200: who has a first name alone is listed by it, also when it changes", async () => {
    const own = await givenProgram();
    const names = [["Zoe", "Curie"], ["Hopper"], ["ada", "Lovelace"]];
    const ids: string[] = [];
    for (const [firstName, lastName] of names)
      ids.push(await givenCardholder(own, { firstName, lastName } as never));
    const order = async () => {
      const { body } = await own.call("GET /cardholders", { query: { orderBy: "lastName", sort: "asc" } });
      return body.items.map(({ cardholderId }: { cardholderId: string }) => ids.indexOf(cardholderId));
    };
    expect(await order()).toEqual([0, 1, 2]);
    const change = (at: number, body: object) =>
      own.call("PUT /cardholders/{cardholderId}", { path: { cardholderId: ids[at] ?? "" }, body });
    expect((await change(1, { firstName: "Álvarez" })).status).toBe(200);
    expect(await order()).toEqual([1, 0, 2]);
    expect((await change(0, { firstName: "Abe" })).status).toBe(200);
    expect(await order()).toEqual([1, 0, 2]);
    expect((await change(0, { lastName: null })).status).toBe(200);
    expect(await order()).toEqual([0, 1, 2]);
  });

  test("200: nothing given, nothing changed", async () => {
    const cardholderId = await givenCardholder(program);
    const before = await stored(cardholderId);
    expect((await update(cardholderId, {})).body.data.contact).toEqual(ada);
    expect(await stored(cardholderId)).toEqual(before);
  });

  for (const status of [0, 2, 4, 6, 7]) {
    test(`200: every field can be changed in ${status}`, async () => {
      const cardholderId = await givenCardholderInStatus(program, status);
      const answer = await update(cardholderId, {
        ...openChanges,
        ...lockedChanges,
        externalId: `in-${status}`,
      });
      expect(answer.status).toBe(200);
      const { altKycEnabled, externalId: _, ...contact } = { ...openChanges, ...lockedChanges };
      const externalId = `in-${status}`;
      expect(answer.body.data).toMatchObject({ altKycEnabled, externalId, contact, status });
    });
  }

  for (const status of [1, 3]) {
    test(`409: no locked field can change in ${status}, nor anything sent along with it`, async () => {
      const cardholderId = await givenCardholderInStatus(program, status);
      const before = await stored(cardholderId);
      for (const [field, value] of Object.entries(lockedChanges)) {
        const answer = await update(cardholderId, { [field]: value, email: "new@example.com" });
        expect([field, answer.status, answer.body.code]).toEqual([field, 409, "LOCKED_FIELDS"]);
      }
      expect(await stored(cardholderId)).toEqual(before);
    });

    test(`200: in ${status} a locked field may be sent with the value that it has`, async () => {
      const cardholderId = await givenCardholderInStatus(program, status);
      const { status: http, body } = await update(cardholderId, {
        ...{ ...ada, ...openChanges },
        externalId: `as-${status}`,
      });
      expect(http).toBe(200);
      expect(body.data.contact).toEqual({
        ...ada,
        email: openChanges.email,
        phone: openChanges.phone,
        address: openChanges.address,
      });
    });
  }

  test("409: what compliance reviewed cannot be removed; 200 where there was nothing", async () => {
    const cardholderId = await givenApprovedCardholder(program);
    for (const field of ["nationality", "firstName", "lastName"])
      expect((await update(cardholderId, { [field]: null })).body.code, field).toBe("LOCKED_FIELDS");
    const other = await givenApprovedCardholder(program, { nationality: undefined });
    expect((await update(other, { nationality: null, externalId: null })).status).toBe(200);
  });

  test("409: a nationality cannot be added to an Approved Cardholder that has none", async () => {
    const cardholderId = await givenApprovedCardholder(program, { nationality: undefined });
    expect((await update(cardholderId, { nationality: "GB" })).body.code).toBe("LOCKED_FIELDS");
  });

  test("409: a deleted Cardholder cannot be edited, not even with the values that it has", async () => {
    const cardholderId = await givenCardholderInStatus(program, 5);
    const before = await stored(cardholderId);
    for (const body of [{}, { email: "new@example.com" }, { lastName: "King" }, ada]) {
      const answer = await update(cardholderId, body);
      expect([answer.status, answer.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    }
    expect(await stored(cardholderId)).toEqual(before);
  });

  test("200: of renames at the same moment, the list keeps the one that is stored", async () => {
    const own = await givenProgram();
    const cardholderId = await givenCardholder(own);
    const rename = (lastName: string) =>
      own.call("PUT /cardholders/{cardholderId}", { path: { cardholderId }, body: { lastName } });
    const held = holdCall((input) => input.includes("King"));
    const slower = rename("King");
    await held.reached;
    expect((await rename("Byron")).status).toBe(200);
    held.release();
    expect((await slower).body.data.contact.lastName).toBe("King");
    const { body } = await own.call("GET /cardholders", { query: { orderBy: "lastName" } });
    expect(body.items.map(({ lastName }: { lastName: string }) => lastName)).toEqual(["King"]);
  });

  test("409: an edit that races the submission never changes the data under review", async () => {
    for (let round = 0; round < 10; round += 1) {
      const cardholderId = await givenCardholder(program);
      const path = { cardholderId };
      const [edit, submission] = await Promise.all([
        update(cardholderId, { lastName: "King" }),
        program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} }),
      ]);
      expect(submission.status).toBe(200);
      expect([200, 409]).toContain(edit.status);
      expect((await stored(cardholderId))?.lastName).toBe(edit.status === 200 ? "King" : ada.lastName);
      expect((await update(cardholderId, { lastName: "Byron" })).body.code).toBe("LOCKED_FIELDS");
    }
  });
});
