import { describe, expect, it } from "vitest";
import {
  computeCode,
  computePinValue,
  withOddParity,
} from "../../../functions/vault/cryptography/algorithms.ts";

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
