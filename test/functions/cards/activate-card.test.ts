import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

const program = await givenProgram();
const cardholderId = await givenApprovedCardholder(program);
const stored = (cardId: string) => storedItem(cards.key(program.programId, cardId));

async function givenPhysicalCard() {
  const card = await givenCard(program, { cardholderId, cardForm: 1, shippingAddress });
  const { maskedCardNumber, expiryMonth, expiryYear } = card;
  return {
    cardId: card.cardId,
    printed: { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear } as {
      lastFour: string;
      expiryMonth: number;
      expiryYear: number;
    },
  };
}

const activate = (cardId: string, body: unknown) =>
  program.call("POST /cards/{cardId}/activate", { path: { cardId }, body });

describe("POST /cards/{cardId}/activate", () => {
  test("200: answers the card as Active, as it is viewed from now on", async () => {
    const { cardId, printed } = await givenPhysicalCard();
    const { status, body } = await activate(cardId, printed);
    expect([status, body.data.issuerCardStatus]).toEqual([200, 1]);
    const viewed = await program.call("GET /cards/{cardId}", { path: { cardId } });
    expect(viewed.body.data).toEqual(body.data);
  });

  test("422: names each field that does not match the card, and changes nothing", async () => {
    const { cardId, printed } = await givenPhysicalCard();
    const other = {
      lastFour: printed.lastFour === "0000" ? "0001" : "0000",
      expiryMonth: (printed.expiryMonth % 12) + 1,
      expiryYear: printed.expiryYear + 1,
    };
    const before = await stored(cardId);
    for (const field of ["lastFour", "expiryMonth", "expiryYear"] as const) {
      const { status, body } = await activate(cardId, { ...printed, [field]: other[field] });
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        { path: `body.${field}`, code: "mismatch", message: "does not match the card" },
      ]);
    }
    expect((await activate(cardId, other)).body.errors).toHaveLength(3);
    expect(await stored(cardId)).toEqual(before);
    expect((await activate(cardId, printed)).status).toBe(200);
  });

  test("409: a card that does not await activation, with any digits", async () => {
    const { cardId } = await givenCard(program, { cardholderId });
    const answer = await activate(cardId, { lastFour: "0000", expiryMonth: 1, expiryYear: 2030 });
    expect([answer.status, answer.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
  });

  test("409: of two activations at once, one", async () => {
    const { cardId, printed } = await givenPhysicalCard();
    const answers = await Promise.all([activate(cardId, printed), activate(cardId, printed)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});
