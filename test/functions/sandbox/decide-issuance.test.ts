import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
const decide = (cardId: string, cardStatus: number) =>
  manual.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus } });
const stored = (cardId: string) => storedItem(cards.key(manual.programId, cardId));

describe("POST /cards/{cardId}/approval", () => {
  test("200: an approval returns the active card with its own addresses", async () => {
    const cards = [await givenCard(manual), await givenCard(manual)];
    const views = await Promise.all(cards.map(({ cardId }) => decide(cardId, 1)));
    for (const { status, body } of views) {
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ cardStatus: 1, issuerCardStatus: 1 });
      expect(body.data.cryptoAddresses).toHaveLength(3);
    }
    const addresses = views.flatMap(({ body }) => body.data.cryptoAddresses as { address: string }[]);
    expect(new Set(addresses.map(({ address }) => address)).size).toBe(6);
  });

  test("200: a declined issuance is Closed, also in the list", async () => {
    const { cardId } = await givenCard(manual);
    const { status, body } = await decide(cardId, 2);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ cardStatus: 2, issuerCardStatus: 3, cryptoAddresses: [] });
    for (const [issuerCardStatus, isListed] of [
      ["0", false],
      ["3", true],
    ] as const) {
      const query = { issuerCardStatus, orderBy: "cardId", sort: "desc", limit: "200" };
      const { body: list } = await manual.call("GET /cards", { query });
      const ids = (list.items as { cardId: string }[]).map((item) => item.cardId);
      expect(ids.includes(cardId)).toBe(isListed);
    }
  });

  test("409: all but one of simultaneous decisions", async () => {
    const { cardId, cardholderId } = await givenCard(manual);
    const answers = await Promise.all([1, 2, 1, 2].map((decision) => decide(cardId, decision)));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const card = await stored(cardId);
    expect(card?.cardStatus).toBe(winner?.body.data.cardStatus);
    const cardholder = await storedItem(cardholders.key(manual.programId, cardholderId));
    expect(cardholder?.openCards).toBe(card?.cardStatus === 1 ? 1 : 0);
  });

  test("409: a Cardholder who was declined meanwhile gets no card", async () => {
    const { cardId, cardholderId } = await givenCard(manual);
    await overwrite(cardholders.key(manual.programId, cardholderId), { status: 7 });
    const before = await stored(cardId);
    expect((await decide(cardId, 1)).body.code).toBe("ILLEGAL_TRANSITION");
    expect(await stored(cardId)).toEqual(before);
    expect((await decide(cardId, 2)).status).toBe(200);
  });
});
