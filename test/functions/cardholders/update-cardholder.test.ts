import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { ada, givenCardholder, givenCardholderInStatus, givenProgram } from "../../harness/given-cards.ts";
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
        const path = field === "address" ? "body.address.country" : `body.${field}`;
        expect(answer).toMatchObject({ status: 409, body: { code: "LOCKED_FIELDS", errors: [{ path }] } });
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
