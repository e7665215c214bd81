import { describe, expect, test } from "vitest";
import { ada, givenCardholder, givenProgram } from "../../harness/given-cards.ts";

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
});
