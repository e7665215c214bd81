import { describe, expect, test } from "vitest";
import { ada, givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";

const program = await givenProgram();
const decide = (cardholderId: string, body: unknown) =>
  program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path: { cardholderId }, body });

async function givenSubmitted(): Promise<string> {
  const cardholderId = await givenCardholder(program);
  await program.call("POST /cardholders/{cardholderId}/submit", { path: { cardholderId }, body: {} });
  return cardholderId;
}

describe("POST /cardholders/{cardholderId}/kyc-outcome", () => {
  for (const status of [1, 2, 6]) {
    test(`200: ${status} is answered once it is applied`, async () => {
      const cardholderId = await givenSubmitted();
      const answer = await decide(cardholderId, { status });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ cardholderId, status, contact: ada });
      const viewed = await program.call("GET /cardholders/{cardholderId}", { path: { cardholderId } });
      expect(viewed.body.data).toEqual(answer.body.data);
    });
  }

  test("200: after a decline or an error the Cardholder can be corrected and submitted again", async () => {
    const cardholderId = await givenSubmitted();
    for (const status of [2, 6]) {
      await decide(cardholderId, { status });
      const path = { cardholderId };
      const edit = await program.call("PUT /cardholders/{cardholderId}", {
        path,
        body: { lastName: `King ${status}` },
      });
      expect(edit.status).toBe(200);
      const again = await program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} });
      expect(again.body.data.status).toBe(3);
    }
    expect((await decide(cardholderId, { status: 1 })).body.data.status).toBe(1);
  });

  test("409: a second outcome", async () => {
    const cardholderId = await givenSubmitted();
    await decide(cardholderId, { status: 1 });
    const { status, body } = await decide(cardholderId, { status: 2 });
    expect([status, body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
  });

  test("422: an unknown outcome; 400: an outcome of another type", async () => {
    const cardholderId = await givenSubmitted();
    const before = await storedItems(program.programId);
    for (const status of [3, 4, 5, 7]) expect((await decide(cardholderId, { status })).status).toBe(422);
    expect((await decide(cardholderId, {})).status).toBe(422);
    expect((await decide(cardholderId, { status: "1" })).status).toBe(400);
    expect(await storedItems(program.programId)).toEqual(before);
  });

  test("404: no such Cardholder", async () => {
    const { status, body } = await decide("chd_01J9ZC3P2V8Q4N6T0B5W7XKD1M", { status: 1 });
    expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
  });
});
