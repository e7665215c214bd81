import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  describeFault,
  encodeMessage,
  type Message,
  readMessage,
} from "../../../../shared/adapters/iso8583/codec.ts";
import { type DialectName, dialects } from "../../../../shared/adapters/iso8583/dialects.ts";
import { type Field, fields } from "../../../../shared/adapters/iso8583/fields.ts";
import { decodeMessage } from "../../../harness/decode-message.ts";

const names = Object.keys(dialects) as DialectName[];
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A value that the field can hold in every dialect. */
function anyValue({ content, length, prefix }: Field): fc.Arbitrary<string> {
  const most = Math.min(length, 255);
  const size = { minLength: prefix ? 0 : length, maxLength: most };
  const of = (characters: string, { minLength, maxLength } = size) =>
    fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
  const digits = "0123456789";
  switch (content) {
    case "n":
      return of(digits);
    case "z":
      return of(`${digits}=`);
    case "an":
      return of(`${digits} ABCxyz`);
    case "ans":
      return fc.string({ unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)), ...size });
    case "xn":
      return fc
        .tuple(fc.constantFrom("C", "D"), of(digits, { minLength: length - 1, maxLength: length - 1 }))
        .map((parts) => parts.join(""));
    case "b":
      return fc
        .uint8Array(prefix ? { maxLength: most } : { minLength: length, maxLength: length })
        .map((bytes) => Buffer.from(bytes).toString("hex").toUpperCase());
  }
}

const message: fc.Arbitrary<Message> = fc
  .tuple(
    fc.constantFrom("0100", "0121", "0430", "0800"),
    fc
      .subarray([...fields], { maxLength: 30 })
      .chain((chosen) =>
        fc.tuple(
          ...chosen.map(([number, field]) => anyValue(field).map((value) => [number, value] as const)),
        ),
      ),
  )
  .map(([mti, given]) => ({ mti, fields: Object.fromEntries(given) }));

describe("ISO 8583:1987", () => {
  it("writes an authorization as the standard says", () => {
    const bytes = encodeMessage({
      mti: "0100",
      fields: { 2: "4761739001010119", 3: "000000", 4: "000000002500", 11: "000042", 49: "840" },
    });
    expect(text(bytes.subarray(0, 4))).toBe("0100");
    expect(hex(bytes.subarray(4, 12))).toBe("7020000000008000");
    expect(text(bytes.subarray(12))).toBe("164761739001010119000000000000002500000042840");
  });

  it("writes it in EBCDIC", () => {
    const bytes = encodeMessage(
      { mti: "0100", fields: { 2: "4761", 43: "CAFE".padEnd(40) } },
      dialects.mastercard,
    );
    expect(hex(bytes)).toBe(`f0f1f0f0${"4000000000200000"}f0f4f4f7f6f1c3c1c6c5${"40".repeat(36)}`);
  });

  it("writes it in BCD, with lengths of one byte", () => {
    const given = { 2: "476173900101011", 4: "000000002500", 28: "D00000100", 35: "4761=12", 49: "840" };
    const bytes = encodeMessage({ mti: "0100", fields: given }, dialects.visa);
    expect(hex(bytes)).toBe(
      [
        ...["0100", "5000001020008000", "0f0476173900101011", "000000002500", "c400000100", "0704761d12"],
        "0840",
      ].join(""),
    );
  });

  it("has a second bitmap for what is above 64", () => {
    const bytes = encodeMessage({ mti: "0400", fields: { 11: "000001", 90: "0".repeat(42) } });
    expect(hex(bytes.subarray(4, 20))).toBe("80200000000000000000004000000000");
  });

  it.each(names)("reads what it wrote, byte for byte (%s)", (name) => {
    const dialect = dialects[name];
    fc.assert(
      fc.property(message, (given) => {
        const bytes = encodeMessage(given, dialect);
        const read = decodeMessage(bytes, dialect);
        expect(read).toEqual(given);
        expect(hex(encodeMessage(read, dialect))).toBe(hex(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it.each(names)("writes again what it could read of any bytes (%s)", (name) => {
    const dialect = dialects[name];
    const broken = fc
      .tuple(message, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }), fc.nat())
      .map(([given, changes, cut]) => {
        const bytes = Buffer.from(encodeMessage(given, dialect));
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        return bytes.subarray(0, bytes.length - (cut % 5));
      });
    fc.assert(
      fc.property(broken, (bytes) => {
        const read = readMessage(bytes, dialect);
        if (read.faults.length === 0) expect(hex(encodeMessage(read.message, dialect))).toBe(hex(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps a second bitmap that is empty", () => {
    const bytes = Buffer.from(`30383030${"8020000000000000"}${"0".repeat(16)}303030303432`, "hex");
    const read = decodeMessage(bytes);
    expect(read).toEqual({ mti: "0800", fields: { 11: "000042" }, hasEmptyBitmap: true });
    expect(hex(encodeMessage(read))).toBe(hex(bytes));
  });
});

describe("faults", () => {
  const cardNumber = "4761739001010119";

  it.each([
    [{ 4: "25" }, "DE4 must have 12 characters, not 2."],
    [{ 4: "00000000250x" }, "DE4 must be digits."],
    [{ 2: `${cardNumber}12345` }, "DE2 must have at most 19 characters, not 21."],
    [{ 2: `${cardNumber.slice(1)}x` }, "DE2 must be digits."],
    [{ 52: "00" }, "DE52 must have 8 or 16 bytes, not 1."],
    [{ 129: "1" }, "DE129 is not a data element."],
  ])("names the field of %o, and not its value", (given, sentence) => {
    expect(() => encodeMessage({ mti: "0100", fields: given })).toThrow(sentence);
  });

  it.each([
    ["", "The MTI needs 4 bytes; 0 are left."],
    ["01x0", "The MTI must be digits."],
    ["0100abc", "The bitmap needs 8 bytes; 3 are left."],
    ["0100\x40\0\0\0\0\0\0\x0099123", "DE2 has the length 99, more than 19."],
    ["0100\x40\0\0\0\0\0\0\x00x6123", "DE2 must begin with its length in 2 digits."],
    ["0100\x40\0\0\0\0\0\0\x0016123", "DE2 needs 16 bytes; 3 are left."],
    ["0800\x00\x20\0\0\0\0\0\x00000001!", "The message has 1 bytes after its last data element."],
  ])("says why %j is no message", (bytes, sentence) => {
    const { faults } = readMessage(Buffer.from(bytes, "latin1"));
    expect(faults.map(describeFault)).toEqual([sentence]);
  });

  it("reads on after wrong characters", () => {
    const bytes = encodeMessage({
      mti: "0100",
      fields: { 4: "000000002500", 7: "1123181500", 11: "000042" },
    });
    bytes[12] = "x".charCodeAt(0);
    const { message: read, faults } = readMessage(bytes);
    expect(faults).toEqual([{ field: 4, reason: "must be digits" }]);
    expect(read.fields).toEqual({ 7: "1123181500", 11: "000042" });
  });

  it("blames no data element for the one before it", () => {
    const bytes = encodeMessage({ mti: "0100", fields: { 19: "840", 37: "REF000000001" } }, dialects.visa);
    // Neither a filler nor digits.
    bytes.set([0x1a], 10);
    const { message: read, faults } = readMessage(bytes, dialects.visa);
    expect(faults).toEqual([{ field: 19, reason: "must be digits" }]);
    expect(read.fields).toEqual({ 37: "REF000000001" });
  });

  it.each(["mastercard", "visa"] as const)("finds wrong characters where each may stand (%s)", (name) => {
    const dialect = dialects[name];
    const given = {
      mti: "0100",
      fields: { 2: "4761739001010119", 22: "051", 28: "C00000100", 41: "TERM0001" },
    };
    const bytes = encodeMessage(given, dialect);
    const starts = new Map(readMessage(bytes, dialect).places.map(({ field, end }) => [field, end]));
    for (const [field, end] of starts) {
      const broken = Uint8Array.from(bytes);
      broken.set([0x0f], end - 1);
      const { faults, message: read } = readMessage(broken, dialect);
      // Any byte is a character of DE41.
      expect(faults.map((fault) => fault.field)).toEqual(field === 41 ? [] : [field]);
      expect(Object.keys(read.fields)).toHaveLength(field === 41 ? 4 : 3);
    }
  });
});
