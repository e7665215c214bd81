import { describe, expect, it } from "vitest";
import {
  computeCode,
  computePinValue,
  decrypt,
  withOddParity,
} from "../../../functions/vault/cryptography/algorithms.ts";
import { createPinBlock0, openPinBlock } from "../../../functions/vault/pin-block.ts";
import { createPinBlock } from "../../harness/pin-block.ts";

/** The double-length key of many published examples. */
const key = Buffer.from("0123456789ABCDEFFEDCBA9876543210", "hex");

describe("card verification values", () => {
  it.each([
    // The example of HSMs' manuals, and those of libraries that are not the platform's.
    ["0123456789ABCDEFFEDCBA9876543210", "4123456789012345", "8701", "101", "561"],
    ["99999999999999998888888888888888", "2222222222222222", "3333", "111", "361"],
    ["0123456789ABCDEFFEDCBA9876543210", "4111111111111111", "2512", "201", "139"],
    ["0123456789ABCDEFFEDCBA9876543210", "4111111111111111", "2512", "999", "133"],
    ["0123456789ABCDEFFEDCBA9876543210", "4111111111111111", "2512", "000", "765"],
  ])("are the published ones: %s %s %s %s", (pair, cardNumber, date, serviceCode, code) => {
    expect(computeCode(Buffer.from(pair, "hex"), { cardNumber, date, serviceCode })).toBe(code);
  });

  it("exist for the longest card number", () => {
    const longest = { cardNumber: "4111111111111111110", date: "2512", serviceCode: "201" };
    expect(computeCode(key, longest)).toMatch(/^\d{3}$/);
    expect(computeCode(key, { ...longest, serviceCode: "202" })).not.toBe(computeCode(key, longest));
  });
});

describe("PIN verification values", () => {
  it.each([
    [1, "4524", "1122334455667788", "8523"],
    [2, "1912", "1122334455667788", "3244"],
    // Too few decimal digits: hexadecimal ones, less ten, follow.
    [1, "0570", "1122334455667718", "3144"],
    [1, "8299", "1122334455667708", "4422"],
    [1, "1234", "4111111111111111", "9464"],
  ])("are the published ones: %d %s %s", (index, pin, cardNumber, value) => {
    expect(computePinValue(key, index, cardNumber, pin)).toBe(value);
  });
});

it("gives drawn keys the parity that other implementations require", () => {
  const drawn = withOddParity(Buffer.from([0x00, 0x01, 0x02, 0x03, 0xfe, 0xff, 0x80, 0x7f]));
  expect([...drawn]).toEqual([0x01, 0x01, 0x02, 0x02, 0xfe, 0xfe, 0x80, 0x7f]);
});

/** Published examples of ISO 9564-1 format 4, of libraries that are not the platform's. */
const aes = Buffer.from("00112233445566778899AABBCCDDEEFF", "hex");

describe("a PIN block of format 4", () => {
  it("is made as others make it", () => {
    const block = createPinBlock("1234", aes, "1234567890123456789", Buffer.alloc(8, 0xff));
    expect(block.toString("hex").toUpperCase()).toBe("28B41FDDD29B743E93124BD8E32D921E");
  });

  it.each([
    ["1234", "1234567890123456", "52DB178C6EDCE52E3A70F7FBC8E9C758"],
    ["123456", "123456789012345678", "847A0209C659E4C4A79CA6A2A2217D31"],
    ["12345678", "1234567890123456789", "018BFEC8B5EF60181A327AD8325A2BA4"],
  ])("with %s opens with its number alone", (pin, cardNumber, block) => {
    expect(openPinBlock(Buffer.from(block, "hex"), aes, cardNumber)).toBe(pin);
    const other = `${cardNumber.slice(0, -1)}0`;
    expect(openPinBlock(Buffer.from(block, "hex"), key, other)).toBeUndefined();
  });

  it.each([16, 24, 32])("opens with a key of %d bytes", (bytes) => {
    const longer = Buffer.alloc(bytes, 7);
    const block = createPinBlock("827193", longer, "4111111111111111", Buffer.alloc(8, 0x5a));
    expect(openPinBlock(block, longer, "4111111111111111")).toBe("827193");
  });
});

/** Blocks in clear. */
describe("a PIN block of format 0", () => {
  it.each([
    ["1234", "5555555551234567", "041261AAAAEDCBA9"],
    ["123456789", "5555555551234567", "091261032D8DCBA9"],
    ["123456789012", "5555555551234567", "0C1261032D8226A9"],
    ["1234", "4111111111111111", "041225EEEEEEEEEE"],
  ])("with %s is made as others make it, and opens with its number alone", (pin, cardNumber, clear) => {
    const block = createPinBlock0(pin, key, cardNumber);
    expect(decrypt(key, block).toString("hex").toUpperCase()).toBe(clear);
    expect(openPinBlock(block, key, cardNumber)).toBe(pin);
    // Another digit before the check digit changes the filler, so it is no block.
    const other = `${cardNumber.slice(0, -2)}${(Number(cardNumber.at(-2)) + 1) % 10}0`;
    if (pin.length < 12) expect(openPinBlock(block, key, other)).toBeUndefined();
  });

  it("opens with a key of three parts, and with no other key", () => {
    const long = Buffer.from("0123456789ABCDEFFEDCBA987654321089ABCDEF01234567", "hex");
    const block = createPinBlock0("8271", long, "4111111111111111");
    expect(openPinBlock(block, long, "4111111111111111")).toBe("8271");
    expect(openPinBlock(block, key, "4111111111111111")).toBeUndefined();
  });
});
