import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeExpiry,
  defaultNameOnCard,
  drawCardNumber,
  luhnDigit,
} from "../../../functions/cards/new-card.ts";
import { CardCreate } from "../../../shared/contract/cards.ts";
import { maskCardNumber } from "../../../shared/domain/cards/card.ts";

/** The published test numbers of the card networks. */
const published = ["4111111111111111", "5555555555554444", "4012888888881881", "378282246310005"];

describe("card numbers", () => {
  test("the check digit is that of the published test numbers", () => {
    for (const number of published) expect(luhnDigit(number.slice(0, -1))).toBe(number.slice(-1));
  });

  test("any single wrong digit changes the check digit", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{15}$/),
        fc.nat(14),
        fc.integer({ min: 1, max: 9 }),
        (digits, at, by) => {
          const wrong = String((Number(digits[at]) + by) % 10);
          expect(luhnDigit(digits.slice(0, at) + wrong + digits.slice(at + 1))).not.toBe(luhnDigit(digits));
        },
      ),
    );
  });

  test("first six and last four digits are all that is kept, and the last four differ from card to card", () => {
    const drawn = Array.from({ length: 200 }, () => drawCardNumber("400000"));
    for (const parts of drawn) {
      expect(Object.keys(parts)).toEqual(["bin", "lastFour"]);
      expect(maskCardNumber(parts)).toMatch(/^400000\*{6}\d{4}$/);
    }
    expect(new Set(drawn.map(({ lastFour }) => lastFour)).size).toBeGreaterThan(100);
  });

  test("a card is valid for three or four years, to the end of the month that it was issued in", () => {
    const newYearsEve = new Date("2026-12-31T23:59:59.999Z");
    expect(computeExpiry(0, newYearsEve)).toEqual({ expiryMonth: 12, expiryYear: 2029 });
    expect(computeExpiry(1, new Date("2028-02-29T00:00:00.000Z"))).toEqual({
      expiryMonth: 2,
      expiryYear: 2032,
    });
  });
});

describe("the name on a card", () => {
  const cases: [string, string, string | undefined][] = [
    ["Ada", "Lovelace", "Ada Lovelace"],
    ["Zoë", "Nuñez-O'Brien", "Zoë Nuñez-O'Brien"],
    ["Łukasz", "Żółć", "Łukasz Żółć"],
    ["Bartholomew Maximilian", "Featherstonehaugh", "B Featherstonehaugh"],
    ["Ada", "Wolfeschlegelsteinhausenbergerdorff", "A Wolfeschlegelsteinhausen"],
    ["Ada*", "Love_lace (née Byron)", "Ada Love lace née Byron"],
    ["小龍", "李", undefined],
    ["小龍", "Lee", "Lee"],
    ["Ада", "Лавлейс", undefined],
  ];
  for (const [first, last, expected] of cases) {
    test(`${first} ${last}: ${expected ?? "nothing that can be printed"}`, () => {
      expect(defaultNameOnCard(first, last)).toBe(expected);
    });
  }

  test("made from any name is one that a caller could have asked for", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(name, name, (first, last) => {
        const nameOnCard = defaultNameOnCard(first, last);
        if (nameOnCard === undefined) return;
        const card = { cardholderId: "chd_1", cardForm: 0, cardType: 0, nameOnCard };
        expect(CardCreate.safeParse(card).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
