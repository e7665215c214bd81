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
  const cases: [string | undefined, string | undefined, string | undefined][] = [
    ["Ada", "Lovelace", "Ada Lovelace"],
    ["Zoë", "Nuñez-O'Brien", "Zoë Nuñez-O'Brien"],
    ["Łukasz", "Żółć", "Łukasz Żółć"],
    ["Bartholomew Maximilian", "Featherstonehaugh", "B M Featherstonehaugh"],
    ["Anna Bella Carla Dora Eva", "Featherstonehaugh Ltd", "A Featherstonehaugh Ltd"],
    ["Ada", "Wolfeschlegelsteinhausenbergerdorff", undefined],
    ["Wolfeschlegelsteinhausenbergerdorff", undefined, undefined],
    ["Ada", "Lovelace (née Byron)", undefined],
    ["Tāne", "Kaʻahumanu", "Tāne Ka’ahumanu"],
    ["Ｋｅｎ", "Nguyễn‐Trần", "Ken Nguyễn-Trần"],
    [undefined, "Suharto", "Suharto"],
    ["Teller", undefined, "Teller"],
    ["小龍", "李", undefined],
    ["小龍", "Lee", undefined],
    ["Bruce", "李", undefined],
    [undefined, "李小龍", undefined],
    ["Ада", "Лавлейс", undefined],
  ];
  for (const [firstName, lastName, expected] of cases) {
    test(`${firstName} ${lastName}: ${expected ?? "not all can be printed"}`, () => {
      expect(defaultNameOnCard({ firstName, lastName })).toBe(expected);
    });
  }

  test("made from any name is one that a caller could have asked for", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(name, fc.option(name, { nil: undefined }), (lastName, firstName) => {
        const nameOnCard = defaultNameOnCard({ firstName, lastName });
        if (nameOnCard === undefined) return;
        const card = { cardholderId: "chd_1", cardForm: 0, cardType: 0, nameOnCard };
        expect(CardCreate.safeParse(card).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
