import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { givenCardholder, givenProgram } from "../../harness/given-cards.ts";
import { storedEvents, storedItem } from "../../harness/stored.ts";

const program = await givenProgram();
const submit = (cardholderId: string, body: unknown = {}) =>
  program.call("POST /cardholders/{cardholderId}/submit", { path: { cardholderId }, body });
const decide = (cardholderId: string, status: number) =>
  program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path: { cardholderId }, body: { status } });
const stored = (cardholderId: string) => storedItem(cardholders.key(program.programId, cardholderId));
const kycToken = "share-token-of-the-provider";

describe("POST /cardholders/{cardholderId}/submit", () => {
  test("200: where the platform is deployed, without a provider's URL, it is a page of the environment's", async () => {
    process.env.ENVIRONMENT_NAME = "staging";
    const cardholderId = await givenCardholder(program);
    const { body } = await submit(cardholderId);
    process.env.ENVIRONMENT_NAME = "local";
    const { kycSession } = (await stored(cardholderId)) ?? {};
    expect(body.data.kycUrl).toBe(`https://kyc.issuing.example/sessions/${kycSession}`);
  });

  test("200: the token-based flow keeps the token until the outcome, and never shows it", async () => {
    const cardholderId = await givenCardholder(program, { altKycEnabled: 1 });
    const submitted = await submit(cardholderId, { kycToken });
    expect([submitted.status, submitted.body.data.status]).toEqual([200, 3]);
    expect(submitted.body.data).not.toHaveProperty("kycUrl");
    expect(await stored(cardholderId)).toHaveProperty("kycToken", kycToken);
    const viewed = await program.call("GET /cardholders/{cardholderId}", { path: { cardholderId } });
    expect(JSON.stringify([submitted.body, viewed.body])).not.toContain(kycToken);
    const naming = (await storedEvents(program.programId)).filter((event) =>
      JSON.stringify(event).includes(kycToken),
    );
    expect(naming.map(({ kind }) => kind)).toEqual(["kyc.requested"]);
    const decided = await decide(cardholderId, 1);
    expect(decided.body.data.status).toBe(1);
    expect(await stored(cardholderId)).not.toHaveProperty("kycToken");
  });

  test("200: a body is not needed in the standard flow", async () => {
    const cardholderId = await givenCardholder(program);
    expect((await submit(cardholderId, undefined)).status).toBe(200);
  });
});
