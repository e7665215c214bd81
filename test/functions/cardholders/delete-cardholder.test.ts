import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenProgram,
} from "../../harness/given-cards.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";

const program = await givenProgram();
const remove = (cardholderId: string) =>
  program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
const close = (cardId: string) => program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
const stored = (cardholderId: string) => storedItem(cardholders.key(program.programId, cardholderId));

describe("DELETE /cardholders/{cardholderId}", () => {
  test("200: answers the Cardholder as 5 Deleted, and goes on showing it", async () => {
    const cardholderId = await givenCardholder(program);
    const { status, body } = await remove(cardholderId);
    expect([status, body.data.status]).toEqual([200, 5]);
    const viewed = await program.call("GET /cardholders/{cardholderId}", { path: { cardholderId } });
    expect(viewed.body.data).toEqual(body.data);
  });

  test("409 CARDS_NOT_CLOSED until the last card is closed", async () => {
    const cardholderId = await givenApprovedCardholder(program);
    const cards = [await givenCard(program, { cardholderId }), await givenCard(program, { cardholderId })];
    for (const { cardId } of cards) {
      const before = await stored(cardholderId);
      const { status, body } = await remove(cardholderId);
      expect([status, body.code]).toEqual([409, "CARDS_NOT_CLOSED"]);
      expect(await stored(cardholderId)).toEqual(before);
      expect((await close(cardId)).status).toBe(200);
    }
    expect((await remove(cardholderId)).status).toBe(200);
  });

  test("409 CARDS_NOT_CLOSED for an issuance that waits for its decision, not for a declined one", async () => {
    const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
    const { cardId, cardholderId } = await givenCard(manual);
    const path = { cardholderId };
    const first = await manual.call("DELETE /cardholders/{cardholderId}", { path });
    expect(first.body.code).toBe("CARDS_NOT_CLOSED");
    await manual.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus: 2 } });
    expect((await manual.call("DELETE /cardholders/{cardholderId}", { path })).status).toBe(200);
  });

  test("409 ILLEGAL_TRANSITION the second time", async () => {
    const cardholderId = await givenCardholder(program);
    await remove(cardholderId);
    const { status, body } = await remove(cardholderId);
    expect([status, body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
  });

  test("a card issued at the same moment either stops the deletion or is rejected itself", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const cardholderId = await givenApprovedCardholder(program);
      const issue = () => program.call("POST /cards", { body: { cardholderId, cardForm: 0, cardType: 0 } });
      const racing = round % 2 === 0 ? [remove(cardholderId), issue()] : [issue(), remove(cardholderId)];
      const answers = await Promise.all(racing);
      const [deletion, issuance] = round % 2 === 0 ? answers : answers.toReversed();
      const { status, openCards } = (await stored(cardholderId)) ?? {};
      const outcome = `${deletion?.status} ${issuance?.status}`;
      seen.add(outcome);
      expect({ "200 403": [5, 0], "409 200": [1, 1] }[outcome]).toEqual([status, openCards]);
    }
    expect(seen.size).toBeGreaterThan(0);
  });

  test("404: no such Cardholder", async () => {
    const before = await storedItems(program.programId);
    expect((await remove("chd_01J9ZC3P2V8Q4N6T0B5W7XKD1M")).status).toBe(404);
    expect(await storedItems(program.programId)).toEqual(before);
  });
});

describe("POST /cardholders/{cardholderId}/register-wallet-address", () => {
  const register = (cardholderId: string) =>
    program.call("POST /cardholders/{cardholderId}/register-wallet-address", {
      path: { cardholderId },
      body: { chain: "bitcoin", address: "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu" },
    });

  test("200: deprecated: registers nothing, and says so in its headers", async () => {
    const cardholderId = await givenCardholder(program);
    const before = await storedItems(program.programId);
    const { status, body, headers } = await register(cardholderId);
    expect([status, body.data]).toEqual([200, {}]);
    expect(headers.Deprecation).toMatch(/^@\d+$/);
    expect(headers.Link).toContain('rel="deprecation"');
    expect(await storedItems(program.programId)).toEqual(before);
  });

  test("404: no such Cardholder", async () => {
    expect((await register("chd_01J9ZC3P2V8Q4N6T0B5W7XKD1M")).status).toBe(404);
  });
});
