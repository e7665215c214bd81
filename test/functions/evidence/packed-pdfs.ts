import { deflateSync } from "node:zlib";
import { pdfOf } from "../../harness/given-documents.ts";

/** Harmless. */
export const script = "<< /S /JavaScript /JS (app.alert\\(1\\)) >>";

/** A PDF of one page whose objects are all in an object stream. */
export function packed(
  encode: (plain: Buffer) => Buffer,
  { filter = "", action = script, entries = "/Type /ObjStm", tail = "" } = {},
): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>",
    action,
  ];
  let offset = 0;
  const places = objects.map((object, index) => {
    const place = `${index + 1} ${offset}`;
    offset += object.length + 1;
    return place;
  });
  const head = `${places.join(" ")} `;
  const data = encode(Buffer.from(`${head}${objects.join(" ")} ${tail}`, "latin1"));
  const body = `${entries} /N 4 /First ${head.length} ${filter} /Length ${data.length}`;
  return pdfOf([[5, `<< ${body} >>\nstream\n${data.toString("latin1")}\nendstream`]], { root: 1 });
}

const hex = (plain: Buffer) => Buffer.from(`${plain.toString("hex")}>`);
const a85 = (plain: Buffer) => {
  const padded = Buffer.concat([plain, Buffer.alloc((4 - (plain.length % 4)) % 4, 32)]);
  const groups = Array.from({ length: padded.length / 4 }, (_, index) => padded.readUInt32BE(4 * index));
  const digits = (value: number) =>
    Array.from({ length: 5 }, (_, place) =>
      String.fromCharCode(33 + (Math.floor(value / 85 ** (4 - place)) % 85)),
    );
  return Buffer.from(`${groups.flatMap(digits).join("")}~>`);
};
const runs = (plain: Buffer) =>
  Buffer.concat([...plain].map((byte) => Buffer.of(0, byte)).concat(Buffer.of(128)));
/** With codes of nine to twelve bits, which grow one code earlier or not. */
export const lzw = (earlyChange: 0 | 1) => (plain: Buffer) => {
  let bits = "";
  let known = new Map<string, number>();
  const put = (code: number) => {
    const width = Math.min(12, Math.floor(Math.log2(known.size + 257 + earlyChange)) + 1);
    bits += code.toString(2).padStart(width, "0");
  };
  const codeOf = (text: string) => known.get(text) ?? text.charCodeAt(0);
  let text = "";
  put(256);
  for (const character of plain.toString("latin1")) {
    if (text === "" || known.has(text + character)) {
      text += character;
      continue;
    }
    put(codeOf(text));
    known.set(text + character, known.size + 258);
    if (known.size === 4_096 - 258) {
      put(256);
      known = new Map();
    }
    text = character;
  }
  for (const code of [codeOf(text), 257]) {
    put(code);
    known.set("", 0);
  }
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)));
};
/** Rows of `width` bytes, each with PNG's predictor of the kind. */
const png = (kind: number, width: number) => (plain: Buffer) => {
  const whole = Buffer.concat([plain, Buffer.alloc((width - (plain.length % width)) % width, 32)]);
  const at = (row: number, index: number) => (row < 0 || index < 0 ? 0 : (whole[row * width + index] ?? 0));
  const rows = Array.from({ length: whole.length / width }, (_, row) => {
    const bytes = Array.from({ length: width }, (_, index) => {
      const [west, north, both] = [at(row, index - 1), at(row - 1, index), at(row - 1, index - 1)];
      const nearest = [west, north, both].toSorted(
        (a, b) => Math.abs(west + north - both - a) - Math.abs(west + north - both - b),
      )[0];
      return at(row, index) - ([0, west, north, (west + north) >> 1, nearest][kind] ?? 0);
    });
    return Buffer.from([kind, ...bytes]);
  });
  return deflateSync(Buffer.concat(rows));
};
const tiff = (width: number) => (plain: Buffer) => {
  const whole = Buffer.concat([plain, Buffer.alloc((width - (plain.length % width)) % width, 32)]);
  return deflateSync(whole.map((byte, at) => (at % width === 0 ? byte : byte - (whole[at - 1] ?? 0))));
};

export const encodings: Readonly<Record<string, readonly [(plain: Buffer) => Buffer, string]>> = {
  nothing: [(plain) => plain, ""],
  Flate: [deflateSync, "/Filter /FlateDecode"],
  "Flate in an array": [deflateSync, "/Filter [/FlateDecode] /DecodeParms [null]"],
  "Flate, its name with #-codes": [deflateSync, "/F#69lter /Fl#61teDecode"],
  "Flate, its short name": [deflateSync, "/Filter /Fl"],
  LZW: [lzw(1), "/Filter /LZWDecode"],
  "LZW that grows late": [lzw(0), "/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>"],
  ASCIIHex: [hex, "/Filter /ASCIIHexDecode"],
  ASCII85: [a85, "/Filter /ASCII85Decode"],
  RunLength: [runs, "/Filter /RunLengthDecode"],
  "ASCIIHex of Flate": [(plain) => hex(deflateSync(plain)), "/Filter [/ASCIIHexDecode /FlateDecode]"],
  "Flate of ASCII85": [(plain) => deflateSync(a85(plain)), "/Filter [/FlateDecode /ASCII85Decode]"],
  "TIFF's predictor": [tiff(7), "/Filter /FlateDecode /DecodeParms << /Predictor 2 /Columns 7 >>"],
  ...Object.fromEntries(
    [0, 1, 2, 3, 4].map((kind) => [
      `PNG's predictor ${kind}`,
      [png(kind, 4), "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4 >>"],
    ]),
  ),
};
