import { describe, expect, it } from "vitest";
import type { Message } from "../../../../shared/adapters/iso8583/codec.ts";
import { encodeMessage } from "../../../../shared/adapters/iso8583/codec.ts";
import { readText } from "../../../../shared/adapters/iso8583/dialect.ts";
import { type DialectName, dialects } from "../../../../shared/adapters/iso8583/dialects.ts";
import { readPointOfSale } from "../../../../shared/adapters/iso8583/point-of-sale.ts";
import { alpha2, countries } from "../../../../shared/contract/primitives.ts";
import { decodeMessage } from "../../../harness/decode-message.ts";

const read = (dialect: DialectName, fields: Message["fields"]) =>
  readPointOfSale(
    decodeMessage(encodeMessage({ mti: "0100", fields }, dialects[dialect]), dialects[dialect]).fields,
    dialects[dialect],
  );

const places = {
  default: (code: string) => `${"CORNER SHOP".padEnd(23)}${"BERLIN".padEnd(13)}  ${code.padEnd(2)}`,
  mastercard: (code: string) => `${"CORNER SHOP".padEnd(22)} ${"BERLIN".padEnd(13)} ${code.padEnd(3)}`,
  visa: (code: string) => `${"CORNER SHOP".padEnd(25)}${"BERLIN".padEnd(13)}${code.padEnd(2)}`,
};

describe("the merchant's country", () => {
  it.each([
    ["default", "DE", "DE"],
    ["visa", "DE", "DE"],
    ["visa", "CA", "CA"],
    ["mastercard", "DEU", "DE"],
    ["mastercard", "AUT", "AT"],
    ["mastercard", "CAN", "CA"],
    ["mastercard", "USA", "US"],
    ["mastercard", "CA", "US"],
    ["mastercard", " NV", "US"],
    ["mastercard", "DE", "US"],
    ["mastercard", "ON", "CA"],
    ["mastercard", "PR", "PR"],
    ["mastercard", "PRI", "PR"],
  ] as const)("of %s's %s is %s", (dialect, code, country) => {
    const { merchant, unread } = read(dialect, { 43: places[dialect](code) });
    expect(merchant).toEqual({
      merchantName: "CORNER SHOP",
      merchantCity: "BERLIN",
      merchantCountry: country,
    });
    expect(unread).toBeUndefined();
  });

  it.each([
    ["default", "XQ"],
    ["default", " D"],
    ["visa", "EU"],
    ["mastercard", "ZZZ"],
    ["mastercard", "FR"],
    ["mastercard", "FRX"],
  ] as const)("cannot be read of %s's %s", (dialect, code) => {
    const { merchant, unread } = read(dialect, { 43: places[dialect](code) });
    expect(merchant).not.toHaveProperty("merchantCountry");
    expect(unread).toEqual(["merchantCountry"]);
  });

  it.each(["default", "mastercard", "visa"] as const)("is not sent where it is blank (%s)", (dialect) => {
    const sent: Message["fields"][] = [{}, { 43: places[dialect]("") }];
    for (const fields of sent) expect(read(dialect, fields)).not.toHaveProperty("unread");
  });

  it("has an alpha-3 code for each alpha-2 code", () => {
    expect([...alpha2.keys()].filter((code) => /^[A-Z]{3}$/.test(code))).toHaveLength(countries.size);
  });
});

describe("the entry mode", () => {
  const ofVisa = (indicator: string) => `${"0".repeat(8)}${indicator}00`;
  it.each([
    ["default", { 22: "051" }, "chip"],
    ["default", { 22: "100" }, "ecommerce"],
    ["default", { 22: "100", 61: "0004" }, "recurring"],
    ["mastercard", { 22: "812" }, "ecommerce"],
    ["mastercard", { 22: "100", 61: "000510000000" }, "ecommerce"],
    ["mastercard", { 22: "100", 61: "000410000000" }, "recurring"],
    ["mastercard", { 22: "010", 61: "000510000000" }, "ecommerce"],
    ["mastercard", { 22: "010", 61: "000010000000" }, "keyed"],
    ["mastercard", { 22: "801" }, "magstripe"],
    ["visa", { 22: "051" }, "chip"],
    ["visa", { 22: "901" }, "magstripe"],
    ["visa", { 22: "100" }, "ecommerce"],
    ["visa", { 22: "100", 60: ofVisa("02") }, "recurring"],
    ["visa", { 22: "010", 60: ofVisa("07") }, "ecommerce"],
    ["visa", { 22: "010", 60: ofVisa("01") }, "keyed"],
    ["visa", { 22: "100", 61: "0004" }, "ecommerce"],
    ["mastercard", { 22: "100", 60: ofVisa("02") }, "ecommerce"],
  ] as const)("of %s's %o is %s", (dialect, fields, mode) => {
    expect(read(dialect, fields)).toMatchObject({ entryMode: mode });
    expect(read(dialect, fields)).not.toHaveProperty("unread");
  });

  it.each([
    ["default", "000"],
    ["visa", "811"],
    ["mastercard", "990"],
  ] as const)("cannot be read of %s's %s", (dialect, code) => {
    expect(read(dialect, { 22: code })).toMatchObject({ unread: ["entryMode"] });
  });

  it("has its filler at the end in Visa's BCD", () => {
    const bytes = encodeMessage({ mti: "0100", fields: { 22: "901" } }, dialects.visa);
    expect(Buffer.from(bytes).subarray(-2).toString("hex")).toBe("9010");
    const wrong = Buffer.concat([bytes.subarray(0, -1), Uint8Array.of(0x15)]);
    expect(() => decodeMessage(wrong, dialects.visa)).toThrow("DE22 must end with a zero");
  });
});

describe("a terminal", () => {
  it.each([
    ["default", {}, false],
    ["default", { 48: "R610510000" }, true],
    ["mastercard", { 48: "R610500000" }, false],
    ["mastercard", { 48: "T6105100009203123" }, true],
    ["mastercard", { 60: "000000000001" }, false],
    ["visa", {}, false],
    ["visa", { 48: "R610510000" }, false],
    ["visa", { 60: "000000000001" }, true],
    ["visa", { 60: "000000000003" }, true],
    ["visa", { 60: "000000000002" }, false],
    ["visa", { 60: readText(Buffer.from("050000000701", "hex"), dialects.visa) }, true],
  ] as const)("of %s with %o takes a part: %s", (dialect, fields, supportsPartial) => {
    expect(read(dialect, fields)).toMatchObject({ supportsPartial });
  });
});

describe("the security code", () => {
  const privateUse = (bitmap: string, ...parts: readonly string[]) => ({
    126: readText(Buffer.from(`${bitmap}${parts.join("")}`, "hex"), dialects.visa),
  });
  const cavv = "AB".repeat(20);
  const code = "F1F140F1F2F3";

  it.each([
    ["default", { 48: "R9203123" }, "123"],
    ["mastercard", { 48: "R9203123" }, "123"],
    ["visa", privateUse("0040000000000000", code), "123"],
    ["visa", privateUse("00C0000000000000", cavv, code), "123"],
    ["visa", privateUse("00C8000000000000", cavv, code, "D9"), "123"],
    ["visa", privateUse("0040000000000000", "F1F1F1F2F340"), "123"],
    ["visa", privateUse("0040000000000000", "F0F140404040"), undefined],
    ["visa", privateUse("0080000000000000", cavv), undefined],
    ["visa", privateUse("0040000000000000", "F1"), undefined],
    ["visa", { 48: "R9203123" }, undefined],
  ] as const)("of %s's %o is %s", (dialect, fields, cvv) => {
    expect(read(dialect, fields).cvv).toBe(cvv);
  });

  it("stands beside the sign of a recurring payment", () => {
    const fields = { 22: "100", ...privateUse("0048000000000000", code, "D9") };
    expect(read("visa", fields)).toMatchObject({ cvv: "123", entryMode: "recurring" });
  });
});
