/** XYZ of sRGB's primaries and white, for a profile's white point. */
const colours = {
  wtpt: [0.9642, 1, 0.8249],
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const;

/** How sRGB's numbers become light. */
function toLight(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

const curvePoints = 256;

/** An ICC profile of version 2 that says what sRGB is: PDF/A asks for one. */
export function makeProfile(): Buffer {
  const curve = Buffer.alloc(12 + 2 * curvePoints);
  curve.write("curv");
  curve.writeUInt32BE(curvePoints, 8);
  for (let point = 0; point < curvePoints; point += 1)
    curve.writeUInt16BE(Math.round(toLight(point / (curvePoints - 1)) * 65_535), 12 + 2 * point);
  const tags: [string, Buffer][] = [
    ["desc", describe("sRGB")],
    ["cprt", Buffer.from("text\0\0\0\0No copyright\0", "latin1")],
    ...Object.entries(colours).map(([name, xyz]): [string, Buffer] => [name, toXyz(xyz)]),
  ];
  const names = [...tags.map(([name]) => name), "rTRC", "gTRC", "bTRC"];
  const bodies = [...tags.map(([, body]) => pad(body)), pad(curve)];
  const table = Buffer.alloc(4 + 12 * names.length);
  table.writeUInt32BE(names.length, 0);
  const offsets: number[] = [];
  let offset = 128 + table.length;
  for (const body of bodies) {
    offsets.push(offset);
    offset += body.length;
  }
  for (const [index, name] of names.entries()) {
    // The three curves are one.
    const place = Math.min(index, bodies.length - 1);
    table.write(name, 4 + 12 * index, "latin1");
    table.writeUInt32BE(offsets[place] as number, 8 + 12 * index);
    table.writeUInt32BE((tags[place]?.[1] ?? curve).length, 12 + 12 * index);
  }
  const profile = Buffer.concat([makeHeader(), table, ...bodies]);
  profile.writeUInt32BE(profile.length, 0);
  return profile;
}

function makeHeader(): Buffer {
  const header = Buffer.alloc(128);
  header.writeUInt32BE(0x02100000, 8);
  header.write("mntrRGB XYZ ", 12, "latin1");
  // A date that never changes.
  for (const [index, value] of [2026, 1, 1].entries()) header.writeUInt16BE(value, 24 + 2 * index);
  header.write("acsp", 36, "latin1");
  toXyz(colours.wtpt).copy(header, 68, 8);
  return header;
}

function toXyz(values: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write("XYZ ");
  for (const [index, value] of values.entries()) tag.writeInt32BE(Math.round(value * 65_536), 8 + 4 * index);
  return tag;
}

/** The ASCII text; then no text in Unicode, and none in Macintosh's script. */
function describe(text: string): Buffer {
  const tag = Buffer.alloc(12 + text.length + 1 + 8 + 3 + 67);
  tag.write("desc");
  tag.writeUInt32BE(text.length + 1, 8);
  tag.write(text, 12, "latin1");
  return tag;
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
