import { describe, expect, it } from "vitest";
import { decrypt } from "../../../functions/vault/cryptography/algorithms.ts";
import { createPinBlock, createPinBlock0, openPinBlock } from "../../../functions/vault/pin-block.ts";

/** Published examples of ISO 9564-1 format 4, of libraries that are not the platform's. */
const key = Buffer.from("00112233445566778899AABBCCDDEEFF", "hex");

describe("a PIN block of format 4", () => {
  it("is made as others make it", () => {
    const block = createPinBlock("1234", key, "1234567890123456789", Buffer.alloc(8, 0xff));
    expect(block.toString("hex").toUpperCase()).toBe("28B41FDDD29B743E93124BD8E32D921E");
  });

  it.each([
    ["1234", "1234567890123456", "52DB178C6EDCE52E3A70F7FBC8E9C758"],
    ["123456", "123456789012345678", "847A0209C659E4C4A79CA6A2A2217D31"],
    ["12345678", "1234567890123456789", "018BFEC8B5EF60181A327AD8325A2BA4"],
  ])("with %s opens with its number alone", (pin, cardNumber, block) => {
    expect(openPinBlock(Buffer.from(block, "hex"), key, cardNumber)).toBe(pin);
    const other = `${cardNumber.slice(0, -1)}0`;
    expect(openPinBlock(Buffer.from(block, "hex"), key, other)).toBeUndefined();
  });

  it.each([16, 24, 32])("opens with a key of %d bytes", (bytes) => {
    const longer = Buffer.alloc(bytes, 7);
    const block = createPinBlock("827193", longer, "4111111111111111", Buffer.alloc(8, 0x5a));
    expect(openPinBlock(block, longer, "4111111111111111")).toBe("827193");
  });
});

/** The same for format 0: blocks in clear, under the double-length key of many examples. */
describe("a PIN block of format 0", () => {
  const tripleDes = Buffer.from("0123456789ABCDEFFEDCBA9876543210", "hex");

  it.each([
    ["1234", "5555555551234567", "041261AAAAEDCBA9"],
    ["123456789", "5555555551234567", "091261032D8DCBA9"],
    ["123456789012", "5555555551234567", "0C1261032D8226A9"],
    ["1234", "4111111111111111", "041225EEEEEEEEEE"],
  ])("with %s is made as others make it, and opens with its number alone", (pin, cardNumber, clear) => {
    const block = createPinBlock0(pin, tripleDes, cardNumber);
    expect(decrypt(tripleDes, block).toString("hex").toUpperCase()).toBe(clear);
    expect(openPinBlock(block, tripleDes, cardNumber)).toBe(pin);
    // Another digit before the check digit changes the filler, so it is no block.
    const other = `${cardNumber.slice(0, -2)}${(Number(cardNumber.at(-2)) + 1) % 10}0`;
    if (pin.length < 12) expect(openPinBlock(block, tripleDes, other)).toBeUndefined();
  });

  it("opens with a key of three parts, and with no other key", () => {
    const key = Buffer.from("0123456789ABCDEFFEDCBA987654321089ABCDEF01234567", "hex");
    const block = createPinBlock0("8271", key, "4111111111111111");
    expect(openPinBlock(block, key, "4111111111111111")).toBe("8271");
    expect(openPinBlock(block, tripleDes, "4111111111111111")).toBeUndefined();
  });
});
