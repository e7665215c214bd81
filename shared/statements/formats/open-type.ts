import { inflateSync } from "node:zlib";

/** A font with TrueType outlines, of which documents embed the glyphs that they use. */
export interface OpenFont {
  /** A text's widths and the font's own are in thousandths of its size. */
  readonly ascent: number;
  readonly descent: number;
  readonly box: readonly number[];
  /** 0: the font does not have the character. */
  glyph(codePoint: number): number;
  width(glyph: number): number;
  /** A font file of these glyphs, which are numbered from 1 on. */
  subset(glyphs: readonly number[]): Buffer;
}

type Tables = ReadonlyMap<string, Buffer>;

/** @throws Error if it has no such table */
function table(tables: Tables, name: string): Buffer {
  const found = tables.get(name);
  if (!found) throw new Error(`The font has no table ${name}.`);
  return found;
}

/** Reads WOFF 1.0: each table is stored, or deflated where that is shorter. */
export function openFont(woff: Buffer): OpenFont {
  const tables = readTables(woff);
  const head = table(tables, "head");
  const hhea = table(tables, "hhea");
  const units = head.readUInt16BE(18);
  const toThousandths = (value: number) => Math.round((value * 1000) / units);
  const glyphs = readCharacterMap(table(tables, "cmap"));
  const advances = readAdvances(table(tables, "hmtx"), hhea.readUInt16BE(34));
  return {
    ascent: toThousandths(hhea.readInt16BE(4)),
    descent: toThousandths(hhea.readInt16BE(6)),
    box: [36, 38, 40, 42].map((at) => toThousandths(head.readInt16BE(at))),
    glyph: (codePoint) => glyphs.get(codePoint) ?? 0,
    width: (glyph) => toThousandths(advances(glyph)),
    subset: (used) => subsetFont(tables, used),
  };
}

function readTables(woff: Buffer): Tables {
  const tables = new Map<string, Buffer>();
  for (let index = 0; index < woff.readUInt16BE(12); index += 1) {
    const at = 44 + 20 * index;
    const offset = woff.readUInt32BE(at + 4);
    const stored = woff.readUInt32BE(at + 8);
    const length = woff.readUInt32BE(at + 12);
    const bytes = woff.subarray(offset, offset + stored);
    tables.set(woff.toString("latin1", at, at + 4), stored < length ? inflateSync(bytes) : bytes);
  }
  return tables;
}

const unicode = 3;
const segmented = 4;

/** The characters of the Basic Multilingual Plane: the fonts have no others. */
function readCharacterMap(cmap: Buffer): ReadonlyMap<number, number> {
  for (let index = 0; index < cmap.readUInt16BE(2); index += 1) {
    const at = cmap.readUInt32BE(8 + 8 * index);
    const isUnicode = cmap.readUInt16BE(4 + 8 * index) === unicode;
    if (isUnicode && cmap.readUInt16BE(at) === segmented) return readSegments(cmap.subarray(at));
  }
  throw new Error("The font has no map of Unicode characters.");
}

function readSegments(map: Buffer): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>();
  const twice = map.readUInt16BE(6);
  for (let at = 14; at < 14 + twice; at += 2) {
    const last = map.readUInt16BE(at);
    const first = map.readUInt16BE(at + twice + 2);
    const delta = map.readUInt16BE(at + 2 * twice + 2);
    const rangeAt = at + 3 * twice + 2;
    const range = map.readUInt16BE(rangeAt);
    for (let code = first; code <= last && code < 0xffff; code += 1) {
      const found = range === 0 ? code : map.readUInt16BE(rangeAt + range + 2 * (code - first));
      const glyph = range !== 0 && found === 0 ? 0 : (found + delta) & 0xffff;
      if (glyph !== 0) glyphs.set(code, glyph);
    }
  }
  return glyphs;
}

/** The last advance is that of all glyphs that follow. */
function readAdvances(hmtx: Buffer, count: number): (glyph: number) => number {
  return (glyph) => hmtx.readUInt16BE(4 * Math.min(glyph, count - 1));
}

function subsetFont(tables: Tables, used: readonly number[]): Buffer {
  const outlines = readOutlines(tables);
  const old = [0, ...used];
  const numbers = new Map(old.map((glyph, index) => [glyph, index]));
  const glyf: Buffer[] = [];
  // The loop also visits the parts of composed glyphs, which it adds.
  for (const glyph of old) {
    glyf.push(
      renumberParts(outlines(glyph), (part) => {
        const number = numbers.get(part) ?? old.push(part) - 1;
        numbers.set(part, number);
        return number;
      }),
    );
  }
  const loca = Buffer.alloc(4 * (glyf.length + 1));
  let length = 0;
  for (const [index, bytes] of glyf.entries()) {
    length += bytes.length;
    loca.writeUInt32BE(length, 4 * (index + 1));
  }
  const head = Buffer.from(table(tables, "head"));
  head.writeUInt32BE(0, 8);
  head.writeInt16BE(1, 50);
  const maxp = Buffer.from(table(tables, "maxp"));
  maxp.writeUInt16BE(old.length, 4);
  const hhea = Buffer.from(table(tables, "hhea"));
  const metrics = subsetMetrics(table(tables, "hmtx"), hhea.readUInt16BE(34), old);
  hhea.writeUInt16BE(old.length, 34);
  const instructions = ["cvt ", "fpgm", "prep"].flatMap((name): [string, Buffer][] => {
    const found = tables.get(name);
    return found ? [[name, found]] : [];
  });
  const made: [string, Buffer][] = [
    ...instructions,
    ...(
      [
        ["glyf", Buffer.concat(glyf)],
        ["head", head],
        ["hhea", hhea],
        ["hmtx", metrics],
        ["loca", loca],
        ["maxp", maxp],
      ] as const
    ).map(([name, bytes]): [string, Buffer] => [name, bytes]),
  ];
  return joinTables(made.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function readOutlines(tables: Tables): (glyph: number) => Buffer {
  const [loca, glyf] = [table(tables, "loca"), table(tables, "glyf")];
  const isLong = table(tables, "head").readInt16BE(50) === 1;
  const offset = (glyph: number) =>
    isLong ? loca.readUInt32BE(4 * glyph) : 2 * loca.readUInt16BE(2 * glyph);
  return (glyph) => glyf.subarray(offset(glyph), offset(glyph + 1));
}

/** Flags of a composed glyph's part. */
const [areWords, hasScale, hasMore, hasTwoScales, hasMatrix] = [0x1, 0x8, 0x20, 0x40, 0x80];

/** A glyph with its parts' new numbers, padded to four bytes. */
function renumberParts(outline: Buffer, renumber: (glyph: number) => number): Buffer {
  const glyph = Buffer.alloc(Math.ceil(outline.length / 4) * 4);
  outline.copy(glyph);
  if (outline.length === 0 || outline.readInt16BE(0) >= 0) return glyph;
  for (let at = 10, flags = hasMore; flags & hasMore; ) {
    flags = glyph.readUInt16BE(at);
    glyph.writeUInt16BE(renumber(glyph.readUInt16BE(at + 2)), at + 2);
    at += flags & areWords ? 8 : 6;
    if (flags & hasScale) at += 2;
    else if (flags & hasTwoScales) at += 4;
    else if (flags & hasMatrix) at += 8;
  }
  return glyph;
}

function subsetMetrics(hmtx: Buffer, count: number, glyphs: readonly number[]): Buffer {
  const metrics = Buffer.alloc(4 * glyphs.length);
  for (const [index, glyph] of glyphs.entries()) {
    const isLast = glyph >= count;
    metrics.writeUInt16BE(hmtx.readUInt16BE(4 * (isLast ? count - 1 : glyph)), 4 * index);
    const bearingAt = isLast ? 4 * count + 2 * (glyph - count) : 4 * glyph + 2;
    metrics.writeInt16BE(hmtx.readInt16BE(bearingAt), 4 * index + 2);
  }
  return metrics;
}

const wholeSum = 0xb1b0afba;

function joinTables(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const header = Buffer.alloc(12 + 16 * tables.length);
  header.writeUInt32BE(0x00010000, 0);
  const search = [tables.length, 16 * power, Math.log2(power), 16 * (tables.length - power)];
  for (const [index, value] of search.entries()) header.writeUInt16BE(value, 4 + 2 * index);
  const bodies: Buffer[] = [];
  let offset = header.length;
  let headAt = 0;
  for (const [index, [name, bytes]] of tables.entries()) {
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    const at = 12 + 16 * index;
    header.write(name, at, "latin1");
    for (const [place, value] of [checksum(padded), offset, bytes.length].entries())
      header.writeUInt32BE(value, at + 4 + 4 * place);
    if (name === "head") headAt = offset;
    bodies.push(padded);
    offset += padded.length;
  }
  const font = Buffer.concat([header, ...bodies]);
  font.writeUInt32BE((wholeSum - checksum(font)) >>> 0, headAt + 8);
  return font;
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
}
