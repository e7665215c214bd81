import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskCardNumber } from "../../../shared/cards/card.ts";
import { computeExpiry } from "../../../shared/cards/card-plastic.ts";
import { CardCreate } from "../../../shared/contract/cards.ts";
import { defaultNameOnCard } from "../../../shared/issuing/issue-card.ts";

describe("card numbers", () => {
  test("six and four digits are shown, also of a BIN of eight", () => {
    for (const bin of ["400000", "40000012"])
      expect(maskCardNumber({ bin, lastFour: "0042" })).toBe("400000******0042");
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
