import { describe, expect, test } from "vitest";
import { ada, givenProgram } from "../../harness/given-cards.ts";

const program = await givenProgram();
const create = (body: unknown) => program.call("POST /cardholders", { body });

describe("POST /cardholders", () => {
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
