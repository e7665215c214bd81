import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { ada, givenProgram } from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

const program = await givenProgram();
const create = (body: unknown) => program.call("POST /cardholders", { body });

describe("POST /cardholders", () => {
  test("200: creates a Draft and answers what was sent, personal data under contact", async () => {
    const { status, body } = await create({ ...ada, externalId: "customer-1" });
    const { altKycEnabled, externalId, contact, status: cardholderStatus } = body.data;
    expect(status).toBe(200);
    expect({ altKycEnabled, externalId, cardholderStatus }).toEqual({
      altKycEnabled: 0,
      externalId: "customer-1",
      cardholderStatus: 4,
    });
    expect(contact).toEqual(ada);
    expect(body.data.cardholderId).toMatch(/^chd_[0-9A-Z]{26}$/);
    expect(Date.now() - Date.parse(body.data.dateCreated)).toBeLessThan(10_000);
  });

  test("200: the answer is the Cardholder as viewed", async () => {
    const created = await create({ ...ada, altKycEnabled: 1 });
    const path = { cardholderId: created.body.data.cardholderId };
    const viewed = await program.call("GET /cardholders/{cardholderId}", { path });
    expect(viewed.status).toBe(200);
    expect(viewed.body.data).toEqual(created.body.data);
  });

  test("200: a field that the contract does not know is neither stored nor answered", async () => {
    const { body } = await create({ ...ada, status: 1, openCards: -1, nickname: "Countess" });
    const stored = await storedItem(cardholders.key(program.programId, body.data.cardholderId));
    expect(stored).toMatchObject({ status: 4, openCards: 0 });
    expect(stored).not.toHaveProperty("nickname");
    expect(body.data).not.toHaveProperty("openCards");
  });

  test("200: one legal name alone, as either of the two", async () => {
    for (const name of ["firstName", "lastName"] as const) {
      const other = name === "firstName" ? "lastName" : "firstName";
      const { status, body } = await create({ ...ada, [name]: "Suharto", [other]: undefined });
      expect([status, body.data.contact[name]]).toEqual([200, "Suharto"]);
      expect(body.data.contact).not.toHaveProperty(other);
    }
    const { status, body } = await create({ ...ada, firstName: undefined, lastName: undefined });
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect([status, paths]).toEqual([422, ["body.lastName"]]);
  });

  test("200: no postal code where addresses have or need none; else 422", async () => {
    const inCountry = (country: string, more = {}) =>
      create({ ...ada, address: { line1: "1 Road", city: "City", country, ...more } });
    for (const country of ["HK", "AE", "PA", "QA", "JM", "BS", "FJ", "ZW", "IE", "KE"])
      expect((await inCountry(country)).status, country).toBe(200);
    for (const country of ["GB", "DE", "US", "FR", "JP", "BR", "IN", "MX", "ZA"]) {
      const { status, body } = await inCountry(country);
      expect([status, body.errors[0].path], country).toEqual([422, "body.address.postalCode"]);
    }
    expect((await inCountry("HK", { postalCode: "999077" })).status).toBe(200);
  });

  test("200: names and towns of 100 characters, and mail addresses as they are", async () => {
    const long = "x".repeat(100);
    const town = { ...ada.address, city: long, state: long };
    expect((await create({ ...ada, firstName: long, lastName: long, address: town })).status).toBe(200);
    for (const email of ["smith&sons@example.com", "jörg@example.de", '"a b"@пример.рф']) {
      const { status, body } = await create({ ...ada, email });
      expect([status, body.data?.contact.email]).toEqual([200, email]);
    }
  });
});
