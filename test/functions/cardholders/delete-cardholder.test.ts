import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenProgram,
} from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

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
});
