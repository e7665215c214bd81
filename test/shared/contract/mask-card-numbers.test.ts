import { describe, expect, it } from "vitest";
import { isLuhnValid } from "../../../shared/contract/luhn.ts";
import { maskCardNumbers, maskCardNumbersInBytes } from "../../../shared/contract/mask-card-numbers.ts";

const number = "4000001234567899";
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
