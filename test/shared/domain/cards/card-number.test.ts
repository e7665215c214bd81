import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  drawCardNumber,
  expiryOf,
  luhnDigit,
  maskCardNumber,
} from "../../../../shared/domain/cards/card-number.ts";

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
    expect(expiryOf(0, newYearsEve)).toEqual({ expiryMonth: 12, expiryYear: 2029 });
    expect(expiryOf(1, new Date("2028-02-29T00:00:00.000Z"))).toEqual({ expiryMonth: 2, expiryYear: 2032 });
  });
});
