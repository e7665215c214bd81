import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { ada, givenProgram } from "../../harness/given-cards.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";

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

  test("422: lists every fault, and stores nothing", async () => {
    const before = await storedItems(program.programId);
    const { status, body } = await create({
      firstName: "",
      lastName: "x".repeat(101),
      dateOfBirth: "1990-02-30",
      gender: 3,
      email: "ada",
      phone: "020",
      address: { line1: "1", city: "London", postalCode: "1", country: "XQ" },
      altKycEnabled: 2,
    });
    expect(status).toBe(422);
    expect(body.code).toBe("VALIDATION_FAILED");
    const faulty = new Set(body.errors.map((fault: { path: string }) => fault.path));
    for (const field of ["firstName", "lastName", "dateOfBirth", "gender", "email", "phone"]) {
      expect(faulty).toContain(`body.${field}`);
    }
    expect(faulty).toContain("body.address.country");
    expect(faulty).toContain("body.altKycEnabled");
    expect(await storedItems(program.programId)).toEqual(before);
  });

  test("422: a required field is missing", async () => {
    const optional = ["firstName", "lastName", "nationality"];
    for (const field of Object.keys(ada).filter((name) => !optional.includes(name))) {
      const { status, body } = await create({ ...ada, [field]: undefined });
      expect(status).toBe(422);
      expect(body.errors.map((fault: { path: string }) => fault.path)).toEqual([`body.${field}`]);
    }
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

  test("422: a date of birth in the future; today is valid", async () => {
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const { status, body } = await create({ ...ada, dateOfBirth: day(1) });
    expect([status, body.errors[0].path]).toEqual([422, "body.dateOfBirth"]);
    expect((await create({ ...ada, dateOfBirth: day(0) })).status).toBe(200);
  });

  test("400: not JSON, not an object, or a field of another type", async () => {
    for (const body of ["{", "[]", "null", "", { ...ada, lastName: 7 }, { ...ada, address: "London" }]) {
      const answer = await create(body);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe("MALFORMED_BODY");
    }
  });
});
