import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hasCardNumber,
  withoutCardNumbers,
  withoutCardNumbersIn,
} from "../../../shared/contract/card-numbers.ts";
import { isLuhnValid } from "../../../shared/contract/luhn.ts";
import { maskCardNumbers, maskCardNumbersInBytes } from "../../../shared/contract/mask-card-numbers.ts";

const number = "4000001234567899";
const masked = "400000******7899";
const inScript = (zero: number) => (digit: string) => String.fromCodePoint(zero + Number(digit));
const stays = (text: string) => {
  expect(withoutCardNumbers(text)).toBe(text);
};
const written = (zero: number) => number.replace(/\d/g, inScript(zero));

describe("a card number in a text", () => {
  it.each([
    [`Top up ${number}`, `Top up ${masked}`],
    ["4000 0012 3456 7899", "4000 00** **** 7899"],
    ["4000-0012-3456-7899.", "4000-00**-****-7899."],
    ["4000.0012.3456.7899", "4000.00**.****.7899"],
    ["4000/0012_3456,7899", "4000/00**_****,7899"],
    ["4000\u00a00012\u20093456\u20117899", "4000\u00a000**\u2009****\u20117899"],
    ["4000001234\r\n567899", "400000****\r\n**7899"],
    ["4000%200012%203456%207899", "4000%2000**%20****%207899"],
    ["4000&nbsp;0012&NBSP;3456&#160;&#xa0;7899", "4000&nbsp;00**&NBSP;****&#160;&#xa0;7899"],
    ["?text=4000%C2%A00012%c2%a03456%207899&x", "?text=4000%C2%A000**%c2%a0****%207899&x"],
    ["4 0 0 0 0 0 1 2 3 4 5 6 7 8 9 9", "4 0 0 0 0 0 * * * * * * 7 8 9 9"],
    ["4000 - 0012 - 3456 - 7899", "4000 - 00** - **** - 7899"],
    ["4000\u200b0012\u200b3456\u200b7899", "4000\u200b00**\u200b****\u200b7899"],
    [`KARTE${number}VON ANNA`, `KARTE${masked}VON ANNA`],
    [`25 ${number} 12/29 123`, `25 ${masked} 12/29 123`],
    [`RE 4711 / 2026-11-27 / ${number}`, `RE 4711 / 2026-11-27 / ${masked}`],
    ["378282246310005", "***********0005"],
    ["+4000001234567899", "+400000******7899"],
    [`${number} 5555555555554444`, `${masked} 555555******4444`],
  ])("%j is masked", (text, without) => {
    expect(withoutCardNumbers(text)).toBe(without);
    expect(hasCardNumber(text)).toBe(true);
  });

  it.each([0xff10, 0x0660, 0x0966, 0x1d7ce, 0x1d7f6])("is masked in the digits from U+%i on", (zero) => {
    const shown = [...withoutCardNumbers(`Karte ${written(zero)}.`)];
    expect(shown.filter((character) => character === "*")).toHaveLength(6);
  });

  it.each([
    ..."4222222222222 30569309025904 2223003122003222 6759649826438453 6205500000000000004".split(" "),
    "9704000000000018",
  ])("%s of another network is masked", (other) => {
    expect(withoutCardNumbers(other)).toMatch(/^\d{0,6}\*+\d{4}$/);
    expect(withoutCardNumbers(other)).toHaveLength(other.length);
  });

  it("is masked where it begins in one text and ends in the next", () => {
    const texts = ["Top up 40000012", "34567899", "thanks"];
    expect(withoutCardNumbersIn(texts)).toEqual(["Top up 400000**", "****7899", "thanks"]);
    expect(withoutCardNumbersIn([])).toEqual([]);
  });

  it("is found however it is parted, and whatever letters are beside it", () => {
    const mark = fc.constantFrom("", " ", "-", ".", "/", "_", "\n", "\t", " - ", "\u00a0", "–", "·", "|");
    const beside = fc.stringMatching(/^[A-Za-zäß ]{0,8}$/);
    const parted = fc.tuple(fc.array(mark, { minLength: 15, maxLength: 15 }), beside, beside);
    fc.assert(
      fc.property(parted, ([marks, before, after]) => {
        const text = [...number].map((digit, at) => digit + (marks[at] ?? "")).join("");
        const left = withoutCardNumbers(before + text + after).replace(/[^\d*]/g, "");
        expect(left.endsWith(masked)).toBe(true);
      }),
    );
  });
});

describe("what is no card number stays as it is", () => {
  it.each([
    ...["4000001234567890", "12345678901", "000000000000", "2026-11-23T18:00:00.000Z", "1764230400000"],
    ...["20261127100001234567890123", "DE89 3704 0044 0532 0130 00"],
    ...["DE89370400440532013000 CH9300762011623852957", "550e8400-e29b-41d4-a716-446655440000"],
    ...["crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M", "Call +49 176 12345678", ""],
  ])("%j", (text) => {
    expect(withoutCardNumbers(text)).toBe(text);
    expect(hasCardNumber(text)).toBe(false);
  });

  it("a number that fails Luhn's check, of any length", () => {
    const digits = fc.stringMatching(/^[0-9]{12,19}$/).filter((text) => !isLuhnValid(text));
    fc.assert(fc.property(digits, stays));
  });

  it("an id of the platform, a UUID, a hash", () => {
    const ulid = fc.stringMatching(/^(crd|wlt|dep|txn)_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
    fc.assert(fc.property(fc.oneof(ulid, fc.uuid(), hash), stays));
  });

  it("an IBAN, even one whose digits would be a card's", () => {
    const iban = "DE11 4000 0012 3456 0001 00";
    expect(hasCardNumber(iban.slice(5))).toBe(true);
    expect(withoutCardNumbers(`${iban}, ${number}`)).toBe(`${iban}, ${masked}`);
    expect(withoutCardNumbers(`AB12 ${iban}`)).toBe(`AB12 ${iban}`);
  });

  it("takes a time in proportion to the length", () => {
    const makeText = (times: number) =>
      "4 ".repeat(5_000 * times) + "1".repeat(5_000 * times) + "AB12 ".repeat(1_000 * times);
    // The processor's time, which a busy machine does not lengthen, and the least of three tries.
    const micros = (text: string) =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const before = process.cpuUsage();
          withoutCardNumbers(text);
          return process.cpuUsage(before).user;
        }),
      );
    const [short, long] = [makeText(1), makeText(4)].map(micros);
    // A time that grew with the square would be sixteen times as long.
    expect(long).toBeLessThan(10 * (short ?? 0));
  });
});

const digitsIn = (text: string) => text.replace(/\D/g, "");

describe("a card number in text", () => {
  it.each([
    [`{"pan":"${number}"}`, '{"pan":"****************"}'],
    [`{"pan":${number},"mcc":5411}`, '{"pan":****************,"mcc":5411}'],
    ["4000 0012 3456 7899.", "**** **** **** ****."],
    ["4000-0012-3456-7899", "****-****-****-****"],
    ["4000.0012.3456.7899", "4000.00**.****.7899"],
  ])("%s is masked", (text, masked) => expect(maskCardNumbers(text)).toBe(masked));

  it("is masked among other digits", () => {
    const masked = maskCardNumbers(`16${number}000000000000002500`);
    expect(digitsIn(masked)).not.toContain(number.slice(6, 12));
  });

  it.each(["4000001234567890", "000000000000", "12345678901", "2026-11-23T18:00:00.000Z"])(
    "%s is none",
    (text) => expect(maskCardNumbers(text)).toBe(text),
  );

  it.each([12, 13, 14, 15, 16, 17, 18, 19])("of %i digits is masked", (length) => {
    const begin = "4".padEnd(length - 1, "1");
    const valid = Array.from({ length: 10 }, (_, check) => `${begin}${check}`).filter(isLuhnValid);
    expect(valid).toHaveLength(1);
    expect(maskCardNumbers(valid[0] ?? "")).toBe("*".repeat(length));
  });
});

describe("a card number in bytes", () => {
  const zoned = (zone: string) => [...number].map((digit) => `${zone}${digit}`).join("");
  const mask = (hex: string) => maskCardNumbersInBytes(Buffer.from(hex, "hex"));

  it.each([
    ["ASCII", zoned("3"), 32],
    ["EBCDIC", zoned("f"), 32],
    ["BCD", number, 16],
  ])("is masked in %s", (_, hex, length) => {
    expect(mask(`00ff${hex}ab`)).toBe(`00ff${"*".repeat(length)}ab`);
  });

  it("is masked in BCD where it begins with half a byte", () => {
    expect(mask(`0${number}c`)).toBe("*".repeat(18));
  });

  it("is masked in BCD where some of its bytes are digits of ASCII", () => {
    expect(mask("ff4000343536373893ff")).toBe("ff****************ff");
  });

  it("leaves other digits of ASCII", () => {
    const hex = Buffer.from("000000002501112358").toString("hex");
    expect(mask(`ff${hex}ff`)).toBe(`ff${hex}ff`);
  });
});
