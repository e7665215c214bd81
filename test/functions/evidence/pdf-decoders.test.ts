import { expect, it } from "vitest";
import { decoders, Output } from "../../../functions/evidence/pdf-decoders.ts";

const decode = (filter: string, data: string, most = 100) => {
  const output = new Output(most);
  decoders.get(filter)?.(Buffer.from(data, "latin1"), output, 1);
  return output.bytes.toString("latin1");
};

it.each([
  ["ASCIIHexDecode", "4 8\n65>6c", "He"],
  ["ASCIIHexDecode", "4865 5", "HeP"],
  ["ASCII85Decode", "87cUR\0D]j7\fBEbo80~>x", "Hello world!"],
  ["ASCII85Decode", "z87cU", "\0\0\0\0Hel"],
  ["ASCII85Decode", "87cUR8", "Hell"],
  ["RunLengthDecode", "\x02abc\xfed\x80e", "abcddd"],
  ["RunLengthDecode", "\x05ab", "ab"],
  // The example of ISO 32000-1, 7.4.4.2.
  ["LZWDecode", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", "-----A---B"],
])("%s of %j is %j", (filter, data, expected) => {
  expect(decode(filter, data)).toBe(expected);
});

it("makes no more than it may", () => {
  expect(decode("RunLengthDecode", "\x81a", 128)).toBe("a".repeat(128));
  expect(() => decode("RunLengthDecode", "\x81a", 127)).toThrow("a stream that is too long");
});
