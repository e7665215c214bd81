import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { cryptoAddresses } from "../../../shared/cards/crypto-addresses.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  publishedKeys,
} from "../../harness/given-cards.ts";
import { storedItem } from "../../harness/stored.ts";

const program = await givenProgram();

describe("POST /cards", () => {
  test("200: nothing of the number is stored but its first six and last four digits", async () => {
    const { cardId, maskedCardNumber } = await givenCard(program);
    const stored = JSON.stringify(await storedItem(cards.key(program.programId, cardId)));
    expect(stored).not.toMatch(/\d{12,}/);
    expect(JSON.parse(stored)).toMatchObject({
      bin: "400000",
      lastFour: String(maskedCardNumber).slice(-4),
    });
    expect(Buffer.byteLength(stored)).toBeLessThan(1024);
  });

  test("200: cards issued at once have addresses of their own, from indexes without end or gap", async () => {
    const own = await givenProgram();
    const holder = await givenApprovedCardholder(own);
    const cards = await Promise.all(
      Array.from({ length: 12 }, () => givenCard(own, { cardholderId: holder })),
    );
    const indexes = Array.from({ length: 12 }, (_, index) => cryptoAddresses(publishedKeys, index));
    const byAddress = (addresses: unknown) => JSON.stringify(addresses);
    expect(cards.map((card) => byAddress(card.cryptoAddresses)).toSorted()).toEqual(
      indexes.map(byAddress).toSorted(),
    );
    const cardholder = await storedItem(cardholders.key(own.programId, holder));
    expect(cardholder?.openCards).toBe(12);
  });
});
