import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { givenApprovedCardholder, givenProgram } from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

const program = await givenProgram();
const remove = (cardholderId: string) =>
  program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
const stored = (cardholderId: string) => storedItem(cardholders.key(program.programId, cardholderId));

describe("DELETE /cardholders/{cardholderId}", () => {
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
