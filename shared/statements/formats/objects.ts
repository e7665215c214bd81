import { zlibSync } from "fflate";

/** ASCII85: five characters for four bytes, which pass as text where bytes do not. */
export function toAscii85(bytes: Uint8Array): string {
  const characters = Buffer.alloc(Math.ceil(bytes.length / 4) * 5 + 2);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(4, bytes.length - at);
    let value = 0;
    for (let place = 0; place < 4; place += 1) value = value * 256 + (bytes[at + place] ?? 0);
    if (value === 0 && count === 4) {
      characters[length] = 0x7a;
      length += 1;
      continue;
    }
    for (let place = 4; place >= 0; place -= 1) {
      if (place <= count) characters[length + place] = 33 + (value % 85);
      value = Math.floor(value / 85);
    }
    length += count + 1;
  }
  return `${characters.toString("latin1", 0, length)}~>`;
}

/**
 * Deflated by code of the package: zlib's own bytes differ between processors, and the same
 * statement is the same bytes.
 */
export function toStream(number: number, entries: string, content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  const text = toAscii85(zlibSync(bytes));
  const filters = "/Filter[/ASCII85Decode/FlateDecode]";
  return `${number} 0 obj\n<<${entries}${filters}/Length ${text.length}>>stream\n${text}\nendstream\nendobj\n`;
}

/** Objects that are no streams, packed into one. */
export function toObjectStream(number: number, objects: ReadonlyMap<number, string>): string {
  let offset = 0;
  const places = [...objects].map(([one, body]) => {
    const place = `${one} ${offset}`;
    offset += body.length + 1;
    return place;
  });
  const first = `${places.join(" ")} `;
  const entries = `/Type/ObjStm/N ${objects.size}/First ${first.length}`;
  return toStream(number, entries, first + [...objects.values()].join(" "));
}

/** Where an object is: at an offset of the file, or at a place of an object stream. */
export type Place = readonly [offset: number] | readonly [stream: number, index: number];

/** The cross-reference stream of all objects, itself included, at the file's end. */
export function toCrossReferences(
  number: number,
  places: ReadonlyMap<number, Place>,
  offset: number,
  trailer: string,
): string {
  const size = number + 1;
  const bytes = Buffer.alloc(8 * size);
  bytes.writeUInt16BE(0xffff, 6);
  for (const [one, [where, index]] of [...places, [number, [offset]] as const]) {
    bytes[8 * one] = index === undefined ? 1 : 2;
    bytes.writeUIntBE(where, 8 * one + 1, 5);
    bytes.writeUInt16BE(index ?? 0, 8 * one + 6);
  }
  const entries = `/Type/XRef/Size ${size}/W[1 5 2]${trailer}`;
  return `${toStream(number, entries, bytes)}startxref\n${offset}\n%%EOF\n`;
}

/** A text of ASCII characters. */
export function toLiteral(text: string): string {
  return `(${text.replaceAll(/[\\()]/g, "\\$&")})`;
}

export const references = (numbers: Iterable<number>) => [...numbers].map((one) => `${one} 0 R`).join(" ");
