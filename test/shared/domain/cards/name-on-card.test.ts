import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CardCreate } from "../../../../shared/contract/cards.ts";
import { defaultNameOnCard } from "../../../../shared/domain/cards/name-on-card.ts";

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
