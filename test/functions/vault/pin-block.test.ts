import { describe, expect, it } from "vitest";
import { createPinBlock, openPinBlock } from "../../../functions/vault/pin-block.ts";

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
